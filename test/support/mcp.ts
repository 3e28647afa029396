import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { expect } from 'vitest';
import { catalogOps } from './catalog-ops.ts';
import type { ApiResponse, Client } from './client.ts';
import { eventually } from './eventually.ts';
import { got } from './fleet.ts';
import { target } from './service.ts';

export type Posting = { headers?: Record<string, string>; path?: string; method?: string };

/** Sends a body to MCP: text as it is, everything else as JSON. */
export async function postRaw(
  { key }: Pick<Client, 'key'>,
  body: unknown,
  { headers = {}, path = '/v1/mcp', method = 'POST' }: Posting = {},
): Promise<ApiResponse> {
  const { url } = await target();
  const response = await fetch(url + path, {
    method,
    headers: { ...(key && { authorization: `Bearer ${key}` }), 'content-type': 'application/json', ...headers },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, body: text === '' ? undefined : JSON.parse(text) };
}

let ids = 0;

/** Sends one request of the handshake protocol. @returns the HTTP response */
export const rpc = (
  client: Pick<Client, 'key'>,
  method: string,
  params?: object,
  posting?: Posting,
): Promise<ApiResponse> => postRaw(client, { jsonrpc: '2.0', id: ++ids, method, ...(params && { params }) }, posting);

/** Calls a tool. @returns its result @throws the whole response if it has no result */
export async function call(client: Pick<Client, 'key'>, name: string, args?: object): Promise<ApiResponse['body']> {
  const response = await rpc(client, 'tools/call', { name, ...(args && { arguments: args }) });
  if (response.status !== 200 || !response.body.result) throw new Error(JSON.stringify(response.body));
  return response.body.result;
}

/** Calls a tool. @returns the object of its result, which the text of the result repeats as JSON */
export async function toolResult(
  client: Pick<Client, 'key'>,
  name: string,
  args?: object,
): Promise<ApiResponse['body']> {
  const result = await call(client, name, args);
  expect(result.content).toEqual([{ type: 'text', text: JSON.stringify(result.structuredContent) }]);
  expect(result.isError).toBeUndefined();
  return result.structuredContent;
}

/** Calls a tool that fails. @returns the error body of the API */
export async function refused(client: Pick<Client, 'key'>, name: string, args?: object): Promise<ApiResponse['body']> {
  const result = await call(client, name, args);
  expect(result).toMatchObject({ isError: true, content: [{ type: 'text' }] });
  return JSON.parse(result.content[0].text);
}

/** Returns the tool names of tools/list. */
export const toolNames = async (client: Pick<Client, 'key'>): Promise<string[]> =>
  (await rpc(client, 'tools/list')).body.result.tools.map(({ name }: { name: string }) => name);

/** Returns the body of a request of MCP 2026-07-28, and its headers. */
export function stateless(method: string, params: Record<string, unknown> = {}, version = '2026-07-28') {
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': version,
    'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  return {
    body: { jsonrpc: '2.0', id: ++ids, method, params: { ...params, _meta } },
    headers: {
      'mcp-protocol-version': version,
      'mcp-method': method,
      ...(typeof params.name === 'string' && { 'mcp-name': params.name }),
    } as Record<string, string>,
  };
}

/** Registers the built-in tools of the default manifest. */
export const registerCatalogOps = async (client: Client) => got(await client.post('/v1/skills', catalogOps()), 201);

export type Stream = {
  status: number;
  headers: IncomingMessage['headers'];
  /** Endpoint to post to, from the endpoint event. */
  endpoint: string;
  /** Raw text so far. */
  text: () => string;
  /** JSON messages so far. */
  messages: () => ApiResponse['body'][];
  /** Waits for the response to the request with this id. */
  reply(id: number | string): Promise<ApiResponse['body']>;
  /** Posts a message to this stream. */
  post(message: object, key?: string): Promise<ApiResponse>;
  isOver: () => boolean;
  close(): void;
};

/** Opens a stream of MCP 2024-11-05. Uses node:http without a pool, so that a hundred streams can be open. */
export async function openStream(key: string, headers: Record<string, string> = {}): Promise<Stream> {
  const { url } = await target();
  const request = httpRequest(`${url}/v1/mcp`, {
    agent: false,
    headers: { authorization: `Bearer ${key}`, accept: 'text/event-stream', ...headers },
  });
  request.end();
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  let text = '';
  let over = false;
  response.setEncoding('utf8');
  response.on('data', (chunk: string) => {
    text += chunk;
  });
  response.on('close', () => {
    over = true;
  });
  response.on('error', () => {});
  const messages = () => [...text.matchAll(/^event: message\ndata: (.*)$/gm)].map(([, data]) => JSON.parse(data!));
  const stream: Stream = {
    status: response.statusCode!,
    headers: response.headers,
    endpoint: '',
    text: () => text,
    messages,
    reply: (id) => eventually(() => messages().find((message) => message.id === id)),
    post: (message, other = key) => postRaw({ key: other }, message, { path: stream.endpoint }),
    isOver: () => over,
    close: () => request.destroy(),
  };
  if (stream.status === 200) {
    stream.endpoint = await eventually(() => /^event: endpoint\ndata: (.*)\n\n/m.exec(text)?.[1]);
  } else await eventually(() => over);
  return stream;
}
