import { request } from 'node:http';
import { expect, it } from 'vitest';
import { newTenant } from '#test/support/client.ts';

const STREAM_URL = new URL(process.env.STREAM_URL!);
const EMULATOR = new URL(process.env.AWS_ENDPOINT_URL!);

/**
 * Returns the headers that CloudFront sends for the key of a caller: a signature, which the emulator requires but does
 * not verify, and the forwarded key.
 */
const signedFor = (key: string) => ({
  authorization: 'AWS4-HMAC-SHA256 Credential=any, SignedHeaders=host, Signature=any',
  'x-forwarded-authorization': `Bearer ${key}`,
});

/** Posts to a function URL. The emulator identifies it by its host name, which does not resolve here. */
function post(
  authorization: Record<string, string>,
  message: object,
): Promise<{ status: number; body: Record<string, unknown> }> {
  return new Promise((resolve, reject) => {
    const headers = {
      host: STREAM_URL.host,
      ...authorization,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    };
    const call = request({ host: EMULATOR.hostname, port: EMULATOR.port, path: '/v1/mcp', method: 'POST', headers });
    call.on('error', reject);
    call.on('response', async (response) => {
      let text = '';
      for await (const chunk of response) text += chunk;
      resolve({ status: response.statusCode!, body: JSON.parse(text) });
    });
    call.end(JSON.stringify({ jsonrpc: '2.0', id: 1, ...message }));
  });
}

const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } };

it('serves MCP requests at the streaming URL if CloudFront has signed them', async () => {
  const { key } = await newTenant();
  const hello = await post(signedFor(key), { method: 'initialize', params });
  expect(hello).toMatchObject({ status: 200, body: { id: 1, result: { protocolVersion: '2025-11-25' } } });

  const call = { method: 'tools/call', params: { name: 'get_status_summary', arguments: {} } };
  expect((await post(signedFor(key), call)).body).toMatchObject({
    result: { structuredContent: { total: 0, entities: [] } },
  });
  expect((await post(signedFor('fw_none'), { method: 'initialize', params })).status).toBe(401);
});

it('rejects unsigned requests at the streaming URL, even with a key', async () => {
  const { key } = await newTenant();
  expect((await post({ authorization: `Bearer ${key}` }, { method: 'initialize', params })).status).toBe(403);
});
