import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { sendAlert } from '#lib/alerting/notify/send.ts';
import { channelRedactor } from '#lib/channels/channel-type.ts';
import { channelTypeOf } from '#lib/channels/registry.ts';
import { type AlertWorld, alertWorld } from '#test/support/alert-world.ts';
import { ENCODINGS } from '#test/support/encodings.ts';
import { examples } from './example-alerts.ts';

const MASK = '********';
let world: AlertWorld;
beforeEach(async () => {
  world = await alertWorld();
});
afterEach(() => world.table.store.close());

/** Returns the recorded error of a delivery whose receiver responds 404 with this body. */
async function errorOf(config: Record<string, string>, body: string, type = 'slack'): Promise<string> {
  world.ports.net.http = async () => ({ status: 404, headers: {}, body, latency_ms: 1 });
  const found = channelTypeOf(type)!;
  const alert = examples.state_change;
  const send = found.render(alert, config);
  const refusal = await sendAlert(world, { type: found, config, alert, send, egress: 'any', account: world.account });
  return refusal!.error;
}

const HOOK = { url: 'https://chat.test/hooks/SECRETTOKEN0123456789' };

describe('a response that quotes the address of the channel', () => {
  it('is redacted wherever the text is shortened', async () => {
    for (let before = 150; before <= 200; before++) {
      expect(await errorOf(HOOK, `${'x'.repeat(before)} /hooks/SECRETTOKEN0123456789 and more`)).not.toContain('SECR');
    }
  });

  it('is redacted if it breaks off within the address', async () => {
    const origin = 'https://chat.test';
    for (let shown = origin.length + 4; shown < HOOK.url.length; shown++) {
      const body = `no${' '.repeat(1022 - shown)}${HOOK.url.slice(0, shown)}`;
      expect(await errorOf(HOOK, body)).toBe(`the receiver answered 404 Not Found: no ${origin}${MASK}`);
    }
    expect(await errorOf(HOOK, `no${' '.repeat(1013)}SECRETTOK`)).toBe(
      `the receiver answered 404 Not Found: no ${MASK}`,
    );
  });

  it('keeps short words that also occur in the address', async () => {
    expect(await errorOf(HOOK, 'no hooks here, see http')).toMatch(/: no hooks here, see http$/);
  });

  it.each([
    ['decoded', 'invalid token abc+def/ghi=='],
    ['as it was sent', 'invalid token abc%2Bdef%2Fghi%3D%3D'],
    ['with lower-case escapes', 'invalid token abc%2bdef%2fghi%3d%3d'],
    ['in JSON', '{"error":"invalid token abc+def\\/ghi=="}'],
    ['as a path', 'no route to \\/hook?token=abc%2Bdef%2Fghi%3D%3D'],
  ])('is redacted if it quotes the address %s', async (_, body) => {
    const url = 'https://api.test/hook?token=abc%2Bdef%2Fghi%3D%3D';
    expect(await errorOf({ url }, body)).not.toMatch(/abc|def|ghi/i);
  });

  it.each(Object.keys(ENCODINGS))('is redacted if it quotes the token %s', async (way) => {
    const token = 'tk&<one/two>"three"';
    const written = ENCODINGS[way]!(token);
    const error = await errorOf({ url: 'https://ntfy.test/ops', token }, `bad: ${written}`, 'ntfy');
    expect(error).toMatch(/: bad: \*{8}=*$/);
  });
});

it('redacts a secret that looks like a short address', () => {
  const hide = channelRedactor(channelTypeOf('webhook')!, { url: 'https://x.test/', secret: 'a:b' });
  expect(hide('signed with a:b')).toBe(`signed with ${MASK}`);
});
