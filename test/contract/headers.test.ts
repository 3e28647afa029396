import { beforeAll, describe, expect, it } from 'vitest';
import { type Answer, type Client, clientOf, newTenant } from '#test/support/client.ts';
import { newCheck } from '#test/support/fleet.ts';
import { target } from '#test/support/service.ts';

/** What a browser makes of an answer that it was led to: nothing. */
const OF_PUSHES = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' };
const OF_ALL_ELSE = {
  ...OF_PUSHES,
  'referrer-policy': 'no-referrer',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cross-origin-resource-policy': 'same-origin',
};

let client: Client;
let nobody: Client;
let check: { id: string };
beforeAll(async () => {
  client = await newTenant();
  nobody = clientOf((await target()).url, '');
  check = await newCheck(client);
});

const headersOf = ({ headers }: Answer) => Object.fromEntries(headers);

describe('the headers of an answer', () => {
  it.each<[string, number, () => Promise<Answer>]>([
    ['a record', 200, () => client.get('/v1/me')],
    ['the description of the API', 200, () => nobody.get('/v1/openapi.json')],
    ['what is gone', 204, async () => client.del(`/v1/checks/${(await newCheck(client)).id}`)],
    ['a refusal for want of a key', 401, () => nobody.get('/v1/me')],
    ['nothing there', 404, () => client.get('/v1/nowhere')],
    ['nothing there, without a key', 404, () => nobody.get('/.well-known/oauth-authorization-server')],
    ['a wrong method', 405, () => client.send('PUT', '/v1/health')],
    ['a bad body', 400, () => client.post('/v1/blueprints', {})],
    ['MCP', 200, () => client.post('/v1/mcp', { jsonrpc: '2.0', id: 1, method: 'ping' })],
    ['MCP that is refused', 401, () => nobody.post('/v1/mcp', {})],
    ['HEAD', 200, () => client.send('HEAD', '/v1/me')],
  ])('keep it from caches and from pages: %s', async (_what, status, ask) => {
    const answer = await ask();
    expect(answer.status).toBe(status);
    expect(headersOf(answer)).toMatchObject(OF_ALL_ELSE);
  });

  it('are few with pushes, good or bad', async () => {
    const beat = await client.post(`/v1/checks/${check.id}/heartbeat`);
    const bad = await client.post(`/v1/checks/${check.id}/results`, {});
    expect([beat.status, bad.status]).toEqual([201, 400]);
    for (const answer of [beat, bad]) {
      expect(headersOf(answer)).toMatchObject(OF_PUSHES);
      expect(answer.headers.get('content-security-policy')).toBeNull();
    }
  });

  it('never let a page of another origin use what a browser keeps for us', async () => {
    const answer = await client.send('GET', '/v1/me', { headers: { origin: 'https://evil.example' } });
    expect(answer.headers.get('access-control-allow-credentials')).toBeNull();
  });
});
