import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { create as createApi } from '#functions/api.ts';
import { create as createMcp } from '#functions/mcp.ts';
import { catalogOps } from '#test/support/catalog-ops.ts';
import { type Client, failure, keyOf, newTenant } from '#test/support/client.ts';
import { eventually } from '#test/support/eventually.ts';
import { newCheck } from '#test/support/fleet.ts';
import { openStream, registerCatalogOps, type Stream } from '#test/support/mcp.ts';
import { startService } from '#test/support/service.ts';

let admin: Client;
beforeAll(async () => {
  admin = await newTenant();
  await registerCatalogOps(admin);
});

const open: Stream[] = [];
async function stream(key = admin.key, headers?: Record<string, string>): Promise<Stream> {
  const one = await openStream(key, headers);
  open.push(one);
  return one;
}
afterEach(() => {
  for (const one of open.splice(0)) one.close();
});

const request = (id: number | string, method: string, params?: object) => ({ jsonrpc: '2.0', id, method, params });

describe('a stream of MCP 2024-11-05', () => {
  it('names its endpoint and returns the responses to posts there', async () => {
    const one = await stream();
    expect(one.text()).toMatch(/^retry: 10\nevent: endpoint\ndata: \/v1\/mcp\?sessionId=[0-9a-f-]{36}\n\n/);
    const posted = await one.post(request(1, 'initialize', { protocolVersion: '2025-06-18' }));
    expect(posted).toMatchObject({ status: 202, body: undefined });
    expect(await one.reply(1)).toMatchObject({ result: { protocolVersion: '2024-11-05' } });
    expect((await one.post({ jsonrpc: '2.0', method: 'notifications/initialized' })).status).toBe(202);
    await one.post(request('two', 'tools/list'));
    expect((await one.reply('two')).result.tools).toHaveLength(catalogOps().tools.length);
    await one.post(request(3, 'tools/call', { name: 'no_such' }));
    expect(await one.reply(3)).toMatchObject({ error: { code: -32602 } });
    await one.post([request(4, 'ping'), request(5, 'no/such')]);
    expect(await one.reply(4)).toMatchObject({ result: {} });
    expect(await one.reply(5)).toMatchObject({ error: { code: -32601 } });
    expect(one.messages()).toHaveLength(5);
  });

  it('returns a response that needs many parts', async () => {
    const client = await newTenant();
    const name = '🦊'.repeat(200);
    await client.post('/v1/blueprints', {
      slug: 'b',
      name: 'B',
      fields: [{ name: 'text', field_type: 'string' }],
    });
    for (let i = 0; i < 50; i++) {
      const fields = { text: '"🦊\n'.repeat(2000) };
      const made = await client.post('/v1/blueprints/b/entities', { slug: `e${i}`, name, fields });
      expect(made.status).toBe(201);
    }
    const one = await stream(client.key);
    await one.post(request(1, 'tools/call', { name: 'list_entities', arguments: {} }));
    const { result } = await one.reply(1);
    expect(result.structuredContent.entities).toEqual((await client.get('/v1/blueprints/b/entities')).body);
    expect(JSON.parse(result.content[0].text)).toEqual(result.structuredContent);
  });

  it('returns the responses to many concurrent calls, each once', async () => {
    const one = await stream();
    const ids = Array.from({ length: 30 }, (_, i) => i);
    await Promise.all(ids.map((id) => one.post(request(id, 'ping'))));
    await Promise.all(ids.map((id) => one.reply(id)));
    expect(
      one
        .messages()
        .map(({ id }) => id)
        .sort((a, b) => a - b),
    ).toEqual(ids);
  });

  it('never shows the responses of another stream with the same key and ids', async () => {
    const [one, two] = await Promise.all([stream(), stream()]);
    expect(one.endpoint).not.toBe(two.endpoint);
    const blueprints = (id: number) => request(id, 'tools/call', { name: 'list_blueprints' });
    for (let id = 1; id <= 10; id++) await Promise.all([one.post(request(id, 'ping')), two.post(blueprints(id))]);
    for (let id = 1; id <= 10; id++) {
      expect((await one.reply(id)).result).toEqual({});
      expect((await two.reply(id)).result.structuredContent).toEqual({ blueprints: [] });
    }
    expect([one.messages().length, two.messages().length]).toEqual([10, 10]);
  });

  it('accepts nothing from another key or another account', async () => {
    const one = await stream();
    const sibling = await keyOf(admin);
    const stranger = await newTenant();
    for (const { key } of [sibling, stranger]) {
      expect(await one.post(request(1, 'ping'), key)).toMatchObject(failure(404, 'NOT_FOUND'));
    }
    expect(one.messages()).toEqual([]);
  });

  it.each(['', 'x', '00000000-0000-4000-8000-000000000000', '#'])('does not exist under the id "%s"', async (id) => {
    const one = await stream();
    one.endpoint = `/v1/mcp?sessionId=${encodeURIComponent(id)}`;
    expect(await one.post(request(1, 'ping'))).toMatchObject(failure(404, 'NOT_FOUND'));
  });

  it('accepts nothing after its client has gone', async () => {
    const one = await stream();
    await one.post(request(1, 'ping'));
    await one.reply(1);
    one.close();
    await eventually(async () => (await one.post(request(2, 'ping'))).status === 404);
  });

  it('rejects an invalid message', async () => {
    const one = await stream();
    expect(await one.post('{' as unknown as object)).toMatchObject({ status: 400, body: { error: { code: -32700 } } });
  });
});

describe('a hundred idle streams', () => {
  it('stay open while other requests are answered', { timeout: 60_000 }, async () => {
    const keys = await Promise.all(Array.from({ length: 5 }, () => keyOf(admin)));
    const check = await newCheck(admin);
    const streams = await Promise.all(Array.from({ length: 100 }, (_, i) => stream(keys[i % 5]!.key)));
    expect(streams.map(({ status }) => status)).toEqual(Array(100).fill(200));

    // No time is measured: the service responds while the streams are open, and then on each of them.
    for (let i = 0; i < 50; i++) {
      expect((await admin.post(`/v1/checks/${check.id}/heartbeat`)).status).toBe(201);
    }
    await Promise.all(streams.map((one, i) => one.post(request(i, 'ping'))));
    await Promise.all(streams.map((one, i) => one.reply(i)));
    expect(streams.every((one) => one.messages().length === 1 && !one.isOver())).toBe(true);
  });
});

describe('the functions of MCP streams', () => {
  const event = (key: string, method: string, more: { query?: string; body?: object; accept?: string } = {}) => ({
    rawPath: '/v1/mcp',
    rawQueryString: more.query ?? '',
    headers: { authorization: `Bearer ${key}`, ...(more.accept && { accept: more.accept }) },
    body: more.body && JSON.stringify(more.body),
    isBase64Encoded: false,
    requestContext: { requestId: 'r', domainName: 'api.example', http: { method, path: '/v1/mcp' } },
  });

  it('share no memory: the response to a POST reaches the stream of another function through the table', async () => {
    const service = await startService();
    const [api, streaming] = [createApi(service.ports), createMcp(service.ports)];
    const left = new AbortController();
    const reply = await streaming(event(service.adminKey, 'GET', { accept: '*/*' }), { signal: left.signal });
    const reader = reply.body!.pipeThrough(new TextDecoderStream()).getReader();
    const first = (await reader.read()).value!;
    const query = /\?(sessionId=\S+)/.exec(first)![1]!;
    const posted = await api(event(service.adminKey, 'POST', { query, body: request(1, 'tools/list') }));
    expect(posted).toMatchObject({ statusCode: 202, body: '', headers: { 'x-request-id': 'r' } });
    expect((await reader.read()).value).toBe(
      'event: message\ndata: {"jsonrpc":"2.0","id":1,"result":{"tools":[]}}\n\n',
    );
    left.abort();
    expect((await reader.read()).done).toBe(true);
    expect((await api(event(service.adminKey, 'POST', { query, body: request(2, 'ping') }))).statusCode).toBe(404);
    await service.stop();
  });

  it('return 405 for a stream if the gateway cannot stream', async () => {
    const service = await startService();
    const response = await createApi(service.ports)(event(service.adminKey, 'GET', { accept: 'text/event-stream' }));
    expect(response).toMatchObject({ statusCode: 405, headers: { allow: 'POST' } });
    await service.stop();
  });

  it('let the service stop while a stream is open, which then ends', async () => {
    const service = await startService();
    const reply = await fetch(`${service.url}/v1/mcp`, { headers: { authorization: `Bearer ${service.adminKey}` } });
    expect(reply.status).toBe(200);
    const text = reply.text();
    expect(await service.stop()).toBe(true);
    expect(await text).toMatch(/^retry: 10\nevent: endpoint\n/);
  });
});
