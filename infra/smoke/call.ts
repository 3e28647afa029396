/** Failure of a step, as a sentence for the operator. */
export class StepError extends Error {}

/** Request timeout (ms). No response of the service takes this long, so a request that hangs is a failure. */
const LIMIT_MS = 40_000;
const PAUSE_MS = 500;

// biome-ignore lint/suspicious/noExplicitAny: responses of every shape are read
export type Json = any;

type ApiReply = { status: number; body: Json };

/** @param path begins with a slash. Throws StepError if there is no response or the body is not JSON. */
export type Call = (method: string, path: string, body?: unknown) => Promise<ApiReply>;

/** Returns a function that calls the service at `url`, without a key if `key` is empty. */
export function caller(url: string, key: string): Call {
  return async (method, path, body) => {
    const response = await open(`${url}${path}`, {
      method,
      headers: { 'content-type': 'application/json', ...(key !== '' && { authorization: `Bearer ${key}` }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(LIMIT_MS),
    });
    return { status: response.status, body: await jsonOf(response, `${method} ${path}`) };
  };
}

/** Calls fetch. Throws a StepError with the URL and the cause. */
export async function open(url: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(url, init);
  } catch (error) {
    const { message, cause } = error as Error & { cause?: { message?: string; code?: string } };
    throw new StepError(`${init.method} ${url} got no response: ${cause?.message || cause?.code || message}`);
  }
}

/** Reads the body to its end; undefined if it is empty. */
export async function jsonOf(response: Response, request: string): Promise<Json> {
  let text = '';
  try {
    text = (await response.text()).trim();
    return text === '' ? undefined : JSON.parse(text);
  } catch (error) {
    const problem =
      text === '' ? `the body did not end: ${(error as Error).message}` : `the body is not JSON: ${text.slice(0, 200)}`;
    throw new StepError(`${request} returned ${response.status}, and ${problem}`);
  }
}

/** Returns the body of a response with the expected status. Throws a StepError with the error of the service. */
export function expected({ status, body }: ApiReply, wanted: number, request: string): Json {
  if (status === wanted) return body;
  throw new StepError(
    `${request} returned ${status} instead of ${wanted}: ${body?.error ?? JSON.stringify(body) ?? ''}`,
  );
}

/** Calls `read` until it returns a value. Throws a StepError that names `what` after `seconds`. */
export async function eventually<T>(what: string, seconds: number, read: () => Promise<T | undefined>): Promise<T> {
  const deadline = Date.now() + seconds * 1000;
  for (;;) {
    const value = await read();
    if (value !== undefined) return value;
    if (Date.now() >= deadline) throw new StepError(`${what}: not within ${seconds} s`);
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
}
