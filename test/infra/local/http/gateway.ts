import { connect } from 'node:net';
import { trustedProxies } from '#infra/local/http/client-address.ts';
import { type Gateway, makeGateway } from '#infra/local/http/http.ts';
import type { Handler, Invocation } from '#infra/local/invoke.ts';
import type { ApiEvent, ApiResult } from '#lib/platform/http/api-event.ts';
import { readSettings } from '#lib/settings.ts';
import { memoryLog } from '#test/support/log.ts';

type Answer = (event: ApiEvent, context: Invocation) => Promise<ApiResult>;

/** An answer of a function. */
export const says = (body: string, statusCode = 200): ApiResult => ({ statusCode, headers: {}, body });
/** Answers the event it was given, as JSON, with its body as a text. */
export const echo: Answer = async ({ readBody, ...event }) => {
  const body = (await readBody?.(1000))?.toString();
  return says(JSON.stringify({ ...event, body }));
};

/** The one that `start` began last, and where it listens. */
export let gateway: Gateway;
export let url: string;
export let port: number;
export const log = memoryLog();

/** A gateway in front of such functions; what `api` answers, `console` does at the bare address. */
export async function start(api: Answer = echo, ingest: Answer = echo, proxies = trustedProxies([])) {
  const options = { settings: readSettings({}), log, proxies };
  const handlers = { api: api as Handler, console: api as Handler, ingest: ingest as Handler };
  gateway = makeGateway(handlers, options);
  port = await gateway.listen('127.0.0.1', 0);
  url = `http://127.0.0.1:${port}`;
}

/** Cuts all its connections. */
export async function stop(): Promise<void> {
  const stopped = gateway.stop();
  gateway.cut();
  await stopped;
  log.lines.length = 0;
}

/** Sends bytes as they are, and gives all that comes back until the other side closes. */
export function raw(text: string, port: number): Promise<string> {
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

/** One answer, as `raw` gives it. */
export function parsed(text: string) {
  const [head = '', ...rest] = text.split('\r\n\r\n');
  const [line = '', ...headers] = head.split('\r\n');
  return {
    status: Number(line.split(' ')[1]),
    headers: new Headers(headers.map((header): [string, string] => [header.split(': ')[0]!, header.split(': ')[1]!])),
    body: JSON.parse(rest.join('')),
  };
}
