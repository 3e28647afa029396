import * as fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { channelTypeOf } from '#lib/alerts/registry.ts';
import { scrub } from '#lib/alerts/scrub.ts';
import { sendAlert } from '#lib/alerts/send.ts';
import { type AlertWorld, alertWorld } from '#test/support/alert-world.ts';
import { examples } from './example-alerts.ts';

const MASK = '********';
let world: AlertWorld;
beforeEach(async () => {
  world = await alertWorld();
});
afterEach(() => world.table.store.close());

/** What is recorded of a receiver that answers 404 with this body. */
async function errorOf(config: Record<string, string>, body: string, type = 'slack'): Promise<string> {
  world.ports.net.http = async () => ({ status: 404, headers: {}, body, latency_ms: 1 });
  const refusal = await sendAlert(world, channelTypeOf(type)!, config, examples.state_change, 'any');
  return refusal!.error;
}

const HOOK = { url: 'https://chat.test/hooks/SECRETTOKEN0123456789' };

describe('a receiver that quotes the address of its channel', () => {
  it('does so wherever the text is shortened, and no part of it is kept', async () => {
    for (let before = 150; before <= 200; before++) {
      expect(await errorOf(HOOK, `${'x'.repeat(before)} /hooks/SECRETTOKEN0123456789 and more`)).not.toContain('SECR');
    }
  });

  it('and whose answer breaks off in the middle of it, after much that says nothing, gives no part of it away', async () => {
    for (let shown = 4; shown < HOOK.url.length; shown++) {
      const body = `no${' '.repeat(1022 - shown)}${HOOK.url.slice(0, shown)}`;
      expect(await errorOf(HOOK, body)).toBe(`the receiver answered 404 Not Found: no ${MASK}`);
    }
    expect(await errorOf(HOOK, `no${' '.repeat(1013)}SECRETTOK`)).toBe(
      `the receiver answered 404 Not Found: no ${MASK}`,
    );
  });

  it('is left with what it says of short parts, and with its own end', async () => {
    expect(await errorOf(HOOK, 'no hooks here, see http')).toMatch(/: no hooks here, see http$/);
  });

  it.each([
    ['decoded', 'invalid token abc+def/ghi=='],
    ['as it was sent', 'invalid token abc%2Bdef%2Fghi%3D%3D'],
    ['in small letters', 'invalid token abc%2bdef%2fghi%3d%3d'],
    ['in JSON', '{"error":"invalid token abc+def\\/ghi=="}'],
    ['as a path', 'no route to \\/hook?token=abc%2Bdef%2Fghi%3D%3D'],
  ])('%s, gives nothing of it away', async (_, body) => {
    const url = 'https://api.test/hook?token=abc%2Bdef%2Fghi%3D%3D';
    expect(await errorOf({ url }, body)).not.toMatch(/abc|def|ghi/i);
  });

  it.each([
    ['percent-encoded', 'tk%26%3Cone%2Ftwo'],
    ['in HTML', 'tk&amp;&lt;one/two'],
    ['in JSON', 'tk&<one\\/two'],
  ])('and its token %s, gives nothing of it away', async (_, token) => {
    const error = await errorOf({ url: 'https://ntfy.test/ops', token: 'tk&<one/two' }, `bad: ${token}!`, 'ntfy');
    expect(error).toBe(`the receiver answered 404 Not Found: bad: ${MASK}!`);
  });
});

it('a secret that looks like a short address is one all the same', () => {
  expect(scrub('signed with a:b', channelTypeOf('webhook')!, { url: 'https://x.test/', secret: 'a:b' })).toBe(
    `signed with ${MASK}`,
  );
});

it('no secret is left of a text, in whatever way it is written and wherever the text ends', () => {
  const secret = fc.string({ unit: fc.constantFrom(...'aZ9+/=&<>"\'%.*?()[]{}|^$\\-_~'), minLength: 6, maxLength: 40 });
  const ways = fc.constantFrom(
    (text: string) => text,
    encodeURIComponent,
    (text: string) => JSON.stringify(text).slice(1, -1),
  );
  fc.assert(
    fc.property(secret, ways, fc.integer({ min: 4, max: 60 }), (token, write, length) => {
      const written = write(token).slice(0, length);
      const left = scrub(`no: ${written}`, channelTypeOf('ntfy')!, { url: 'https://ntfy.test/a', token }, true);
      expect(left.startsWith('no: *') || left === MASK).toBe(true);
      expect(left.replaceAll('*', '').length).toBeLessThan('no: '.length + 4);
    }),
  );
});
