import { beforeAll, describe, expect, it } from 'vitest';
import { catalogOps } from '#test/support/catalog-ops.ts';
import { type Client, failure, newTenant } from '#test/support/client.ts';
import { postRaw, registerCatalogOps, rpc, stateless, toolNames } from '#test/support/mcp.ts';

let admin: Client;
beforeAll(async () => {
  admin = await newTenant();
  await registerCatalogOps(admin);
});

const error = (code: number) => ({
  body: { jsonrpc: '2.0', error: { code, message: expect.stringMatching(/\w+ \w+/) } },
});

describe('the handshake protocol', () => {
  it.each(['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'])('accepts the version %s', async (version) => {
    const response = await rpc(admin, 'initialize', { protocolVersion: version, capabilities: {} });
    expect(response).toMatchObject({
      status: 200,
      body: { result: { protocolVersion: version, capabilities: { tools: {} }, serverInfo: { name: 'fleetwatch' } } },
    });
    expect(response.headers.get('mcp-session-id')).toMatch(/^[0-9a-f-]{36}$/);
  });

  it.each(['2099-01-01', '2026-07-28', 7])('offers its latest version instead of %s', async (protocolVersion) => {
    const { body } = await rpc(admin, 'initialize', { protocolVersion });
    expect(body.result.protocolVersion).toBe('2025-11-25');
  });

  it('does not require the handshake, and accepts any session id', async () => {
    expect(await toolNames(admin)).toHaveLength(catalogOps().tools.length);
    const response = await rpc(admin, 'tools/list', {}, { headers: { 'mcp-session-id': 'made-up' } });
    expect(response.status).toBe(200);
  });

  it('responds to ping, and to a notification or a response with an empty 202', async () => {
    expect(await rpc(admin, 'ping')).toMatchObject({ status: 200, body: { result: {} } });
    for (const message of [
      { jsonrpc: '2.0', method: 'notifications/initialized' },
      { jsonrpc: '2.0', method: 'notifications/unheard-of' },
      { jsonrpc: '2.0', id: 1, result: {} },
    ]) {
      expect(await postRaw(admin, message)).toMatchObject({ status: 202, body: undefined });
    }
  });

  it.each(['no/such', 'server/discover', 'resources/list', 'toString', 'logging/setLevel'])(
    'returns 200 with an error for the unknown method %s, because some clients disconnect on other statuses',
    async (method) => {
      expect(await rpc(admin, method)).toMatchObject({ status: 200, ...error(-32601) });
    },
  );

  it.each<[string, object]>([
    ['an unknown tool', { name: 'no_such' }],
    ['no tool name', {}],
    ['a tool name that is not text', { name: 7 }],
    ['arguments that are not an object', { name: 'list_blueprints', arguments: [] }],
  ])('returns -32602 with status 200 for %s', async (_name, params) => {
    expect(await rpc(admin, 'tools/call', params)).toMatchObject({ status: 200, ...error(-32602) });
  });

  it('returns -32602 for an invalid cursor', async () => {
    for (const cursor of ['', 'xyz', 7]) {
      expect(await rpc(admin, 'tools/list', { cursor })).toMatchObject({ status: 200, ...error(-32602) });
    }
  });

  it.each<[string, unknown, number, unknown]>([
    ['garbled', '{"jsonrpc"', -32700, null],
    ['empty', '', -32700, null],
    ['half a character', '{"jsonrpc":"2.0","id":1,"method":"\\ud800"}', -32700, null],
    ['a text', '"ping"', -32600, null],
    ['an empty batch', '[]', -32600, null],
    ['a batch of eleven', JSON.stringify(Array(11).fill({ jsonrpc: '2.0', id: 1, method: 'ping' })), -32600, null],
    ['too many values', JSON.stringify({ jsonrpc: '2.0', id: 1, params: { a: Array(10_000).fill(0) } }), -32600, null],
    ['of another version', { jsonrpc: '1.0', id: 1, method: 'ping' }, -32600, 1],
    ['without a method', { jsonrpc: '2.0', id: 1 }, -32600, 1],
    ['with an id of null', { jsonrpc: '2.0', id: null, method: 'ping' }, -32600, null],
    ['with an object as its id', { jsonrpc: '2.0', id: {}, method: 'ping' }, -32600, null],
    ['with params in a list', { jsonrpc: '2.0', id: 1, method: 'ping', params: [] }, -32600, 1],
    ['nested too deep', `${'['.repeat(5000)}${']'.repeat(5000)}`, -32600, null],
  ])('rejects an invalid body: %s', async (_name, body, code, id) => {
    expect(await postRaw(admin, body)).toMatchObject({ status: 400, body: { id, error: { code } } });
  });

  it('rejects a header with an unsupported version and lists the supported ones', async () => {
    const response = await rpc(admin, 'ping', {}, { headers: { 'mcp-protocol-version': '1999-01-01' } });
    expect(response).toMatchObject({ status: 400, ...error(-32022) });
    expect(response.body.error.data.supported).toContain('2025-11-25');
    expect(response.body.id).toEqual(expect.any(Number));
  });

  it('responds to a batch in its order, without responses to notifications', async () => {
    const batch = [
      { jsonrpc: '2.0', id: 'a', method: 'ping' },
      { jsonrpc: '2.0', method: 'notifications/initialized' },
      { jsonrpc: '2.0', id: 'b', method: 'no/such' },
      7,
    ];
    const response = await postRaw(admin, batch);
    expect(response.status).toBe(200);
    expect(response.body).toMatchObject([
      { id: 'a', result: {} },
      { id: 'b', error: { code: -32601 } },
      { id: null, error: { code: -32600 } },
    ]);
    expect(await postRaw(admin, [batch[1]])).toMatchObject({ status: 202 });
  });

  it('rejects a body of more than 256 KB', async () => {
    const body = { jsonrpc: '2.0', id: 1, method: 'ping', params: { x: 'x'.repeat(256 * 1024) } };
    expect(await postRaw(admin, body)).toMatchObject(failure(413, 'PAYLOAD_TOO_LARGE'));
  });
});

describe('the stateless protocol', () => {
  const send = (
    { body, headers }: ReturnType<typeof stateless>,
    overrides: Record<string, string | undefined> = {},
  ) => {
    const all = Object.entries({ ...headers, ...overrides }).filter(([, value]) => value !== undefined);
    return postRaw(admin, body, { headers: Object.fromEntries(all) as Record<string, string> });
  };

  it('describes itself', async () => {
    expect(await send(stateless('server/discover'))).toMatchObject({
      status: 200,
      body: {
        result: {
          resultType: 'complete',
          supportedVersions: ['2026-07-28'],
          capabilities: { tools: {} },
          cacheScope: 'private',
          ttlMs: expect.any(Number),
          _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'fleetwatch' } },
        },
      },
    });
  });

  it('lists and calls tools without a session', async () => {
    const listed = await send(stateless('tools/list'));
    expect(listed.body.result).toMatchObject({ resultType: 'complete', cacheScope: 'private' });
    expect(listed.body.result.tools).toHaveLength(catalogOps().tools.length);
    const called = await send(stateless('tools/call', { name: 'list_blueprints' }));
    expect(called).toMatchObject({
      status: 200,
      body: { result: { resultType: 'complete', structuredContent: { blueprints: [] } } },
    });
    expect(called.headers.get('mcp-session-id')).toBeNull();
  });

  it.each(['ping', 'initialize', 'logging/setLevel', 'subscriptions/listen'])(
    'returns 404 for the method %s',
    async (method) => {
      expect(await send(stateless(method))).toMatchObject({ status: 404, ...error(-32601) });
    },
  );

  it.each<[string, Record<string, string | undefined>]>([
    ['a version unlike the body’s', { 'mcp-protocol-version': '2025-11-25' }],
    ['no version', { 'mcp-protocol-version': undefined }],
    ['another method', { 'mcp-method': 'tools/list' }],
    ['no method', { 'mcp-method': undefined }],
    ['another name', { 'mcp-name': 'list_entities' }],
    ['no name', { 'mcp-name': undefined }],
  ])('rejects headers with %s', async (_name, other) => {
    const response = await send(stateless('tools/call', { name: 'list_blueprints' }), other);
    expect(response).toMatchObject({ status: 400, ...error(-32020) });
    expect(response.body.id).not.toBeNull();
  });

  it('accepts a base64-encoded name', async () => {
    const encoded = `=?base64?${Buffer.from('list_blueprints').toString('base64')}?=`;
    const response = await send(stateless('tools/call', { name: 'list_blueprints' }), { 'mcp-name': encoded });
    expect(response.status).toBe(200);
  });

  it('rejects an unsupported version and lists the supported ones', async () => {
    const response = await send(stateless('tools/list', {}, '2099-01-01'));
    expect(response).toMatchObject({ status: 400, ...error(-32022) });
    expect(response.body.error.data).toEqual({ supported: ['2026-07-28'], requested: '2099-01-01' });
  });

  it('rejects a body without _meta', async () => {
    const headers = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/list' };
    expect(await rpc(admin, 'tools/list', {}, { headers })).toMatchObject({ status: 400, ...error(-32602) });
  });

  it('rejects an unknown tool with 400, and a batch', async () => {
    expect(await send(stateless('tools/call', { name: 'no_such' }))).toMatchObject({ status: 400, ...error(-32602) });
    const { body, headers } = stateless('tools/list');
    expect(await postRaw(admin, [body], { headers })).toMatchObject({ status: 400, ...error(-32600) });
  });

  it('accepts notifications', async () => {
    const { id: _none, ...body } = stateless('notifications/cancelled').body;
    expect((await postRaw(admin, body, { headers: { 'mcp-protocol-version': '2026-07-28' } })).status).toBe(202);
  });
});
