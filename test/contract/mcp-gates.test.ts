import { request } from 'node:http';
import { beforeAll, describe, expect, it } from 'vitest';
import { type Client, challengeOf, failure, keyOf, newTenant } from '#test/support/client.ts';
import { call, openStream, postRaw, registerCatalogOps, rpc, stateless } from '#test/support/mcp.ts';
import { target } from '#test/support/service.ts';

let admin: Client;
let reader: Client;
beforeAll(async () => {
  admin = await newTenant();
  reader = await keyOf(admin, { is_read_only: true });
  await registerCatalogOps(admin);
});

const anonymous = { key: '' };

/** Sends a GET without the default headers of fetch, and does not read the body. */
async function get(headers: Record<string, string>, key = admin.key): Promise<{ status: number; headers: object }> {
  const { url } = await target();
  return new Promise((resolve, reject) => {
    const sent = request(
      `${url}/v1/mcp`,
      { agent: false, headers: { ...(key && { authorization: `Bearer ${key}` }), ...headers } },
      (response) => {
        resolve({ status: response.statusCode!, headers: response.headers });
        sent.destroy();
      },
    );
    sent.on('error', reject);
    sent.end();
  });
}

describe('a GET on MCP', () => {
  it.each<[string, Record<string, string>]>([
    ['if it wants events', { accept: 'text/event-stream' }],
    ['if it wants anything', { accept: '*/*' }],
    ['if it has no preference', {}],
    ['for a client that lost its stream', { accept: 'text/event-stream', 'mcp-protocol-version': '2024-11-05' }],
  ])('opens a stream %s', async (_name, headers) => {
    expect(await get(headers)).toMatchObject({
      status: 200,
      headers: {
        'content-type': 'text/event-stream',
        'cache-control': 'no-cache, no-transform',
        'x-accel-buffering': 'no',
      },
    });
  });

  it.each<[string, Record<string, string>]>([
    ['with a newer protocol version', { accept: 'text/event-stream', 'mcp-protocol-version': '2025-11-25' }],
    ['with a session id', { accept: 'text/event-stream', 'mcp-session-id': 'x' }],
    ['if it wants JSON', { accept: 'application/json' }],
  ])('is rejected %s', async (_name, headers) => {
    expect(await get(headers)).toMatchObject({ status: 405, headers: { allow: 'POST' } });
  });
});

describe('MCP', () => {
  it('requires a key without triggering OAuth discovery', async () => {
    const response = await rpc(anonymous, 'ping');
    expect(response).toMatchObject(failure(401, 'UNAUTHORIZED'));
    expect(challengeOf(response)).toBe('Bearer realm="Fleetwatch"');
    const wrong = await rpc({ key: 'fw_wrong' }, 'ping');
    expect(wrong).toMatchObject(failure(401, 'UNAUTHORIZED'));
    expect(challengeOf(wrong)).toBe('Bearer realm="Fleetwatch", error="invalid_token"');
    expect(await get({}, '')).toMatchObject({ status: 401 });
  });

  it('rejects read-only keys', async () => {
    const response = await rpc(reader, 'tools/list');
    expect(response).toMatchObject(failure(403, 'READ_ONLY'));
    expect(challengeOf(response)).toBeNull();
    expect(await get({}, reader.key)).toMatchObject({ status: 403 });
  });

  it.each(['DELETE', 'PUT', 'PATCH'])('rejects %s', async (method) => {
    const response = await postRaw(admin, undefined, { method });
    expect(response).toMatchObject(failure(405, 'METHOD_NOT_ALLOWED'));
    expect(response.headers.get('allow')).toBe('GET, POST');
  });

  it('accepts only same-origin pages', async () => {
    const { url } = await target();
    const from = (origin: string) => rpc(admin, 'ping', {}, { headers: { origin } });
    for (const origin of ['https://evil.example', 'null', `${url}0`, 'file://']) {
      expect(await from(origin)).toMatchObject(failure(403, 'FORBIDDEN'));
    }
    expect((await from(url)).status).toBe(200);
    expect(await get({ origin: 'https://evil.example' })).toMatchObject({ status: 403 });
    const { body, headers } = stateless('tools/list');
    expect(await postRaw(admin, body, { headers: { ...headers, origin: 'https://evil.example' } })).toMatchObject({
      status: 403,
    });
  });

  it.each([
    '/.well-known/oauth-authorization-server/v1/mcp',
    '/.well-known/oauth-protected-resource',
    '/.well-known/openid-configuration/v1/mcp',
  ])('returns 404 for %s, in JSON', async (path) => {
    const response = await postRaw(anonymous, undefined, { method: 'GET', path });
    expect(response).toMatchObject(failure(404, 'NOT_FOUND'));
    expect(response.headers.get('content-type')).toContain('application/json');
  });

  it('rejects a deleted key immediately, even during a session', async () => {
    const key = await keyOf(admin);
    const stream = await openStream(key.key);
    await stream.post({ jsonrpc: '2.0', id: 1, method: 'initialize', params: {} });
    await stream.reply(1);
    expect(await call(key, 'list_blueprints')).toBeTruthy();
    await admin.del(`/v1/auth/keys/${key.id}`);
    expect(await rpc(key, 'ping')).toMatchObject(failure(401, 'UNAUTHORIZED'));
    expect(await stream.post({ jsonrpc: '2.0', id: 2, method: 'ping' })).toMatchObject(failure(401, 'UNAUTHORIZED'));
    stream.close();
  });
});
