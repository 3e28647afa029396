import { beforeAll, describe, expect, it } from 'vitest';
import { type ApiResponse, type Client, clientOf, newTenant } from '#test/support/client.ts';
import { newCheck } from '#test/support/fleet.ts';
import { target } from '#test/support/service.ts';

/** Headers that prevent caching, and the use of a response as a script or style. */
const PUSH_HEADERS = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' };
const API_HEADERS = {
  ...PUSH_HEADERS,
  'referrer-policy': 'no-referrer',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cross-origin-resource-policy': 'same-origin',
};

let client: Client;
let anonymous: Client;
let check: { id: string };
beforeAll(async () => {
  client = await newTenant();
  anonymous = clientOf((await target()).url, '');
  check = await newCheck(client);
});

const headersOf = ({ headers }: ApiResponse) => Object.fromEntries(headers);

describe('response headers', () => {
  it.each<[string, number, () => Promise<ApiResponse>]>([
    ['a record', 200, () => client.get('/v1/me')],
    ['the description of the API', 200, () => anonymous.get('/v1/openapi.json')],
    ['a deleted check', 204, async () => client.del(`/v1/checks/${(await newCheck(client)).id}`)],
    ['a request without a key', 401, () => anonymous.get('/v1/me')],
    ['an unknown path', 404, () => client.get('/v1/nowhere')],
    ['an unknown path, without a key', 404, () => anonymous.get('/.well-known/oauth-authorization-server')],
    ['a wrong method', 405, () => client.send('PUT', '/v1/health')],
    ['a bad body', 400, () => client.post('/v1/blueprints', {})],
    ['MCP', 200, () => client.post('/v1/mcp', { jsonrpc: '2.0', id: 1, method: 'ping' })],
    ['MCP without a key', 401, () => anonymous.post('/v1/mcp', {})],
    ['HEAD', 200, () => client.send('HEAD', '/v1/me')],
  ])('prevent caching and framing: %s', async (_what, status, send) => {
    const response = await send();
    expect(response.status).toBe(status);
    expect(headersOf(response)).toMatchObject(API_HEADERS);
  });

  it('are few for pushes, valid or invalid', async () => {
    const beat = await client.post(`/v1/checks/${check.id}/heartbeat`);
    const bad = await client.post(`/v1/checks/${check.id}/results`, {});
    expect([beat.status, bad.status]).toEqual([201, 400]);
    for (const response of [beat, bad]) {
      expect(headersOf(response)).toMatchObject(PUSH_HEADERS);
      expect(response.headers.get('content-security-policy')).toBeNull();
    }
  });

  it('never let a page of another origin read a response to a request with credentials', async () => {
    const response = await client.send('GET', '/v1/me', { headers: { origin: 'https://evil.example' } });
    expect(response.headers.get('access-control-allow-credentials')).toBeNull();
  });
});
