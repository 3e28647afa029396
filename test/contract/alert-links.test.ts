import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Client, newTenantOf } from '#test/support/client.ts';
import { eventually } from '#test/support/eventually.ts';
import { failingCheck, pushTo } from '#test/support/failing-check.ts';
import { got } from '#test/support/fleet.ts';
import { type Service, startService } from '#test/support/service.ts';
import { startReceiver, type WebhookReceiver } from '#test/support/webhook-receiver.ts';

const PUBLIC_URL = 'https://status.example.com';

let service: Service;
let client: Client;
let receiver: WebhookReceiver;
beforeAll(async () => {
  service = await startService({ env: { PUBLIC_URL } });
  client = await newTenantOf(service);
  receiver = await startReceiver({ host: '127.77.0.1' });
});
afterAll(async () => {
  await service.stop();
  await receiver.close();
});

const push = (id: string, success: boolean) => pushTo(client, id, success);

/** Creates a check that is down and returns the links in its alert. */
async function failing(name = 'backup') {
  const { id, body } = await failingCheck(client, receiver, name);
  const url = (label: string) => new RegExp(`<${PUBLIC_URL}(/a/[\\w.-]+)\\|${label}>`).exec(body)?.[1] ?? '';
  return { id, acknowledge: url('Acknowledge'), silence: url('Silence for an hour') };
}

/** Sends a request like a browser that loads a page or submits its form. */
const visit = async (path: string, method = 'GET', headers: Record<string, string> = {}, name?: string) => {
  const body = name === undefined ? {} : { body: new URLSearchParams({ name }) };
  const response = await fetch(service.url + path, { method, headers, redirect: 'manual', ...body });
  return { status: response.status, headers: response.headers, text: await response.text() };
};
const readCheck = async (id: string) => got(await client.get(`/v1/checks/${id}`), 200);

describe('a link in an alert', () => {
  it('changes nothing when previews and scanners fetch it, any number of times', async () => {
    const { id, acknowledge, silence } = await failing();
    for (const path of [acknowledge, silence])
      for (const method of ['GET', 'HEAD', 'GET']) expect((await visit(path, method)).status).toBe(200);
    expect((await readCheck(id)).acknowledgement).toBeNull();
    expect(got(await client.get(`/v1/checks/${id}/policy`), 200).silenced).toBe(false);
  });

  it('shows names, state and the effect of its button', async () => {
    const { acknowledge } = await failing('<b>backup</b> & "more"');
    const { text, headers } = await visit(acknowledge);
    expect(text).toContain('&lt;b&gt;backup&lt;/b&gt; &amp; &quot;more&quot; is down');
    expect(text).toMatch(
      /<form method="post"><label for="name">[\s\S]*<button type="submit">Acknowledge<\/button><\/form>/,
    );
    expect(text).not.toMatch(/<b>backup|disk full/);
    expect(headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(headers.get('content-security-policy')).toMatch(
      /^default-src 'none'; style-src 'sha256-[^;]*; script-src 'sha256-[^;]*;.*frame-ancestors 'none'$/,
    );
    expect(headers.get('cache-control')).toBe('no-store');
  });

  it('acknowledges by its button, once', async () => {
    const { id, acknowledge } = await failing();
    const done = await visit(acknowledge, 'POST', { 'sec-fetch-site': 'same-origin' });
    expect([done.status, done.text]).toEqual([200, expect.stringContaining('is acknowledged')]);
    expect((await readCheck(id)).acknowledgement).toMatchObject({
      by: 'a link in Slack',
      via: 'link',
      channel_id: expect.stringMatching(/^chn_/),
    });
    got(await client.del(`/v1/checks/${id}/acknowledge`), 204);
    for (const method of ['GET', 'POST']) {
      const again = await visit(acknowledge, method);
      expect([again.status, again.text]).toEqual([
        410,
        expect.stringMatching(/This link was used at .* Each link works once/),
      ]);
    }
    expect((await readCheck(id)).acknowledgement).toBeNull();
    const [entry] = got(await client.get(`/v1/audit?target=${id}&action=check.acknowledge`), 200);
    expect(entry).toMatchObject({ via: 'link', actor: { type: 'link', email: null } });
    expect(entry.summary).toMatch(/^A user of a link in a message acknowledged check "backup"\.$/);
  });

  it('is rejected in another spelling that decodes to the same bytes', async () => {
    const { silence } = await failing();
    const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
    const last = letters.indexOf(silence.at(-1)!);
    expect((await visit(silence, 'POST')).status).toBe(200);
    for (let bits = 1; bits < 16; bits++) {
      const same = silence.slice(0, -1) + letters[last + bits];
      expect(Buffer.from(same.slice(-22), 'base64url')).toEqual(Buffer.from(silence.slice(-22), 'base64url'));
      expect((await visit(same, 'POST')).status).toBe(404);
    }
  });

  it('records the name that the user enters, and reports it to the recipients', async () => {
    const { id, acknowledge } = await failing();
    const alerts = () => receiver.received.filter((one) => one.path === `/${id}`);
    for (const [name, problem] of [
      ['x'.repeat(81), /name: must have at most 80 characters/],
      ['Mia\nMeier', /name: must not contain line breaks/],
      ['x'.repeat(5000), /must have at most 4096 bytes/],
    ] as const) {
      const refused = await visit(acknowledge, 'POST', {}, name);
      expect([Math.floor(refused.status / 100), refused.text]).toEqual([4, expect.stringMatching(problem)]);
    }
    expect((await readCheck(id)).acknowledgement).toBeNull();
    expect((await visit(acknowledge, 'POST', {}, ' <Mia> & "Ben" ')).status).toBe(200);
    const by = '<Mia> & "Ben", by a link in Slack';
    expect((await readCheck(id)).acknowledgement).toMatchObject({ by, via: 'link' });
    const [entry] = got(await client.get(`/v1/audit?target=${id}&action=check.acknowledge`), 200);
    expect(entry.changes).toContainEqual({ path: 'acknowledged_by', from: null, to: by });
    await eventually(() => alerts().length === 2);
    expect(alerts()[1]?.body).toContain('Acknowledged by &lt;Mia&gt; &amp; \\"Ben\\", by a link in Slack.');
    got(await client.del(`/v1/checks/${id}/acknowledge`), 204);
  });

  it('silences for an hour by its button', async () => {
    const { id, silence } = await failing();
    expect((await visit(silence, 'POST')).text).toContain('is silenced');
    const policy = got(await client.get(`/v1/checks/${id}/policy`), 200);
    expect(policy).toMatchObject({ silenced: true, silence_reason: 'for an hour, by a link in Slack' });
    const left = Date.parse(policy.silenced_until) - Date.now();
    expect(left).toBeGreaterThan(3_500_000);
    expect(left).toBeLessThanOrEqual(3_600_000);
    expect((await visit(silence, 'POST')).status).toBe(410);
  });

  it('does nothing after the recovery and reports that', async () => {
    const { id, acknowledge, silence } = await failing();
    await push(id, true);
    for (const path of [acknowledge, silence]) {
      const late = await visit(path, 'POST');
      expect([late.status, late.text]).toEqual([
        410,
        expect.stringContaining('is over: it is up. Nothing was changed.'),
      ]);
    }
    expect(got(await client.get(`/v1/checks/${id}/policy`), 200).silenced).toBe(false);
  });

  it.each([
    [{ 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' }],
    [{ 'sec-fetch-site': 'same-site' }],
    [{ origin: 'https://evil.example' }],
    [{ origin: 'null' }],
  ])('is rejected from a page of another site: %j', async (headers) => {
    const { id, acknowledge } = await failing();
    const refused = await visit(acknowledge, 'POST', headers);
    expect([refused.status, refused.text]).toEqual([403, expect.stringContaining('page of another site')]);
    expect((await readCheck(id)).acknowledgement).toBeNull();
  });

  it('returns 404 when it is truncated or has an invalid signature', async () => {
    const { acknowledge } = await failing();
    for (const path of [acknowledge.slice(0, -3), `${acknowledge.slice(0, -22)}${'A'.repeat(22)}`, '/a/', '/a/x']) {
      const { status, text } = await visit(path, 'POST');
      expect([status, text]).toEqual([404, expect.stringContaining('Invalid link')]);
    }
    expect((await visit(acknowledge, 'PUT')).status).toBe(405);
  });

  it('leads to the port on which the service listens when PUBLIC_URL is not set, and so does the link to the check', async () => {
    const own = await startService();
    const here = `http://localhost:${new URL(own.url).port}`;
    const { id, body } = await failingCheck(await newTenantOf(own), receiver, 'backup');
    const [, path] = new RegExp(`<${here}(/a/[\\w.-]+)\\|Acknowledge>`).exec(body) ?? [];
    expect(body).toContain(`<${here}/#/checks/${id}|Details>`);
    const opened = await fetch(`${own.url}${path}`);
    expect([opened.status, await opened.text()]).toEqual([200, expect.stringContaining('backup is down')]);
    await own.stop();
  });
});
