import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Client, keyOf, memberOf, newTenant } from '#test/support/client.ts';
import { ENCODINGS } from '#test/support/encodings.ts';
import { eventually } from '#test/support/eventually.ts';
import { got, newCheck } from '#test/support/fleet.ts';
import { startReceiver, type WebhookReceiver } from '#test/support/webhook-receiver.ts';

const MASK = '********';
const TOKEN = 'tk_9"<one>&two/thr\\ee+4';
const BASIC = `Basic ${Buffer.from('ops:hush-hush').toString('base64')}`;
const ways = Object.keys(ENCODINGS);

let admin: Client;
let member: Client;
let reader: Client;
let echo: WebhookReceiver;
let action: string;
beforeAll(async () => {
  admin = await newTenant();
  member = await memberOf(admin);
  reader = await keyOf(admin, { is_read_only: true });
  echo = await startReceiver({ host: '127.77.0.1' });
  const headers = { Authorization: `Bearer ${TOKEN}`, 'X-Proxy': BASIC };
  action = got(
    await admin.post('/v1/actions', { name: 'Deploy', url: `${echo.url}/hook`, trigger_type: 'manual', headers }),
    201,
  ).id;
});
afterAll(() => echo.close());

const run = async (body: string, status = 200) => {
  echo.behave({ status, body });
  return got(await member.post(`/v1/actions/${action}/run`), 200);
};

describe('an execution whose target echoes the request', () => {
  it.each(ways)('stores no header value of the action, %s', async (way) => {
    const written = ENCODINGS[way]!(TOKEN);
    const execution = await run(`{"you sent": ${written}!`);
    expect(execution.response_snippet).toMatch(/^\{"you sent": \*{8}=*!$/);
    const [listed] = got(await member.get(`/v1/actions/${action}/executions?limit=1`), 200);
    expect(listed).toEqual(execution);
  });

  it('stores neither the Basic password nor the encoded pair', async () => {
    const { response_snippet } = await run(`user ops:hush-hush, password hush-hush, header ${BASIC}`);
    expect(response_snippet).toBe(`user ${MASK}, password ${MASK}, header ${MASK}`);
  });

  it('stores no part of a value when the response is truncated inside it', async () => {
    for (let shown = 4; shown < TOKEN.length; shown++) {
      const { response_snippet } = await run(`${'.'.repeat(4096 - shown)}${TOKEN} and more`);
      expect(response_snippet).toBe(`${'.'.repeat(4096 - shown)}${MASK}`);
    }
  });

  it('stores the rest of the response, and hides it from read-only keys', async () => {
    await run(`build 77 of main, as ${TOKEN}`);
    const path = `/v1/actions/${action}/executions?limit=1`;
    expect(got(await member.get(path), 200)[0].response_snippet).toBe(`build 77 of main, as ${MASK}`);
    expect(got(await reader.get(path), 200)[0].response_snippet).toBe(MASK);
    await run('');
    expect(got(await reader.get(path), 200)[0].response_snippet).toBe('');
  });
});

describe('a pipeline that logs its request', () => {
  it('leaves no header value in the log of its execution', async () => {
    const { id } = await run('');
    const events = `/v1/actions/executions/${id}/events`;
    const lines = ways.map((way) => `env: ${ENCODINGS[way]!(TOKEN)};`);
    got(await member.post(events, { logs: [...lines, 'step 1 of 2', `${'.'.repeat(2040)}${TOKEN}`] }), 200);
    const shown: string[] = got(await reader.get(`/v1/actions/executions/${id}/logs`), 200);
    for (const line of shown.slice(0, ways.length)) expect(line).toMatch(/^env: \*{8}=*;$/);
    expect(shown.slice(ways.length)).toEqual(['step 1 of 2', `${'.'.repeat(2040)}${MASK}`]);
  });

  it('shows no URL to a read-only key', async () => {
    const { id } = await run('');
    const events = `/v1/actions/executions/${id}/events`;
    got(await member.post(events, { logs: [`called at ${echo.url}/hook?token=abc`] }), 200);
    const path = `/v1/actions/executions/${id}/logs`;
    expect(got(await member.get(path), 200)).toEqual([`called at ${echo.url}/hook?token=abc`]);
    expect(got(await reader.get(path), 200)).toEqual([`called at ${MASK}`]);
  });
});

describe('a check whose target redirects to a secret', () => {
  it.each(['as it is', 'percent-encoded', 'in base64url', 'in hex'])(
    'stores no secret of its config, %s',
    async (way) => {
      const secrets = { header: 'header-secret/1', body: 'body-secret-2' };
      const place = Object.values(secrets).map(ENCODINGS[way]!).join('/and/');
      echo.behave({ status: 302, headers: { location: `ftp.example.com/../../../${place}` } });
      const check = await newCheck(admin, {
        check_type: 'http',
        method: 'PUT',
        target_url: `${echo.url}/login`,
        interval_seconds: 60,
        config: { headers: { Authorization: `Bearer ${secrets.header}` }, body: `{"password": "${secrets.body}"}` },
      });
      const [result] = await eventually(async () => {
        const { results } = got(await member.get(`/v1/checks/${check.id}/results`), 200);
        return results.length > 0 && results;
      });
      for (const secret of Object.values(secrets)) expect(result.error_message).not.toContain(ENCODINGS[way]!(secret));
      expect(result.error_message).toContain(MASK);
    },
  );
});
