import type { ApiEvent, ApiResult } from '#lib/platform/http/api-event.ts';
import type { Random } from '#test/support/random.ts';
import type { VirtualClock } from '#test/support/virtual-clock.ts';

export type Answer = { status: number; body: unknown; replayed: boolean };
/** Sends one request; undefined when no answer came. */
export type Client = (
  method: string,
  path: string,
  body?: unknown,
  headers?: Record<string, string>,
) => Promise<Answer | undefined>;

type Serve = (event: ApiEvent) => Promise<{ result: ApiResult; replayed: boolean } | undefined>;

/** How long a client waits for an answer. */
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
    const answer = await Promise.race([serve(event), tooLate]);
    if (!answer) return undefined;
    const { statusCode, headers: told, body: text } = answer.result;
    const isText = told['content-type']?.startsWith('text/plain');
    return { status: statusCode, body: text && !isText ? JSON.parse(text) : undefined, replayed: answer.replayed };
  };
}

/** Sends until it is answered for good: 5xx and silence are tried again. */
export async function insist(
  random: Random,
  clock: VirtualClock,
  send: () => Promise<Answer | undefined>,
  most = 20,
): Promise<Answer | undefined> {
  for (let i = 0; i < most; i++) {
    const answer = await send();
    if (answer && answer.status < 500) return answer;
    await clock.sleep(random.int(200, 3000));
  }
  return undefined;
}
