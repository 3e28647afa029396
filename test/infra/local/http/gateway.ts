import { connect } from 'node:net';
import { trustedProxies } from '#infra/local/http/client-address.ts';
import { type Gateway, makeGateway } from '#infra/local/http/http.ts';
import type { Handler, Invocation } from '#infra/local/invoke.ts';
import type { ApiEvent, ApiResult } from '#lib/platform/http/api-event.ts';
import { readSettings } from '#lib/settings.ts';
import { memoryLog } from '#test/support/log.ts';

type Answer = (event: ApiEvent, context: Invocation) => Promise<ApiResult>;

/** Returns a response of a function. */
export const responseOf = (body: string, statusCode = 200): ApiResult => ({ statusCode, headers: {}, body });
/** Function that returns its event as JSON, with the body as text. */
export const echo: Answer = async ({ readBody, ...event }) => {
  const body = (await readBody?.(1000))?.toString();
  return responseOf(JSON.stringify({ ...event, body }));
};

/** Gateway that `start` started last, with its URL, port and log. */
export let gateway: Gateway;
export let url: string;
export let port: number;
export const log = memoryLog();

/** Starts a gateway with these functions; `console` responds at the root like `api`. */
export async function start(api: Answer = echo, ingest: Answer = echo, proxies = trustedProxies([])) {
  const options = { settings: readSettings({}), log, proxies };
  const handlers = { api: api as Handler, console: api as Handler, ingest: ingest as Handler };
  gateway = makeGateway(handlers, options);
  port = await gateway.listen('127.0.0.1', 0);
  url = `http://127.0.0.1:${port}`;
}

/** Stops the gateway and closes all its connections. */
export async function stop(): Promise<void> {
  const stopped = gateway.stop();
  gateway.cut();
  await stopped;
  log.lines.length = 0;
}

/** Sends a text unchanged, and returns everything received until the other side closes. */
export function sendRaw(text: string, port: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(text));
    let answer = '';
    socket.on('data', (chunk) => {
      answer += chunk;
    });
    socket.on('close', () => resolve(answer));
    socket.on('error', reject);
  });
}

/** Parses one response of `sendRaw`. */
export function parseResponse(text: string) {
  const [head = '', ...rest] = text.split('\r\n\r\n');
  const [line = '', ...headers] = head.split('\r\n');
  return {
    status: Number(line.split(' ')[1]),
    headers: new Headers(headers.map((header): [string, string] => [header.split(': ')[0]!, header.split(': ')[1]!])),
    body: JSON.parse(rest.join('')),
  };
}
