import type { ApiEvent, ApiResult } from '#lib/platform/http/api-event.ts';
import type { Random } from '#test/support/random.ts';
import type { VirtualClock } from '#test/support/virtual-clock.ts';

export type ApiResponse = { status: number; body: unknown; replayed: boolean };
/** Sends one request; undefined if no response arrived. */
export type Client = (
  method: string,
  path: string,
  body?: unknown,
  headers?: Record<string, string>,
) => Promise<ApiResponse | undefined>;

type Serve = (event: ApiEvent) => Promise<{ result: ApiResult; replayed: boolean } | undefined>;

/** Time for which a client waits for a response. */
const PATIENCE_MS = 15_000;

export function makeClient(serve: Serve, key: string, clock: VirtualClock): Client {
  let number = 0;
  return async (method, path, body, headers = {}) => {
    const [rawPath = '', rawQueryString = ''] = path.split('?');
    const event: ApiEvent = {
      rawPath,
      rawQueryString,
      headers: { authorization: `Bearer ${key}`, ...headers },
      body: body === undefined ? undefined : JSON.stringify(body),
      isBase64Encoded: false,
      requestContext: { requestId: `req_${++number}`, http: { method, path: rawPath } },
    };
    const tooLate = clock.sleep(PATIENCE_MS).then(() => undefined);
    const response = await Promise.race([serve(event), tooLate]);
    if (!response) return undefined;
    const { statusCode, headers: sent, body: text } = response.result;
    const isText = sent['content-type']?.startsWith('text/');
    return { status: statusCode, body: text && !isText ? JSON.parse(text) : undefined, replayed: response.replayed };
  };
}

/** Repeats a request until it has a final response, neither 5xx nor missing, at most `attempts` times. */
export async function insist(
  random: Random,
  clock: VirtualClock,
  send: () => Promise<ApiResponse | undefined>,
  attempts = 20,
): Promise<ApiResponse | undefined> {
  for (let i = 0; i < attempts; i++) {
    const response = await send();
    if (response && response.status < 500) return response;
    await clock.sleep(random.int(200, 3000));
  }
  return undefined;
}
