/** What went wrong in a step, in a sentence for the operator. */
export class StepError extends Error {}

/** A call that hangs is a finding: no answer of the service takes so long. */
const LIMIT_MS = 40_000;
const PAUSE_MS = 500;

// biome-ignore lint/suspicious/noExplicitAny: answers of every shape are looked into
export type Json = any;

type ApiReply = { status: number; body: Json };

/** @param path begins with a slash. Throws StepError where nothing answers, or something that is not JSON. */
export type Call = (method: string, path: string, body?: unknown) => Promise<ApiReply>;

/** Calls the service at `url`; with an empty key, without one. */
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

/** fetch, whose failures say what could not be reached and why. */
export async function open(url: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(url, init);
  } catch (error) {
    const { message, cause } = error as Error & { cause?: { message?: string; code?: string } };
    throw new StepError(`${init.method} ${url} got no answer: ${cause?.message || cause?.code || message}`);
  }
}

/** The body, once it has ended; undefined when it is empty. */
export async function jsonOf(response: Response, asked: string): Promise<Json> {
  let text = '';
  try {
    text = (await response.text()).trim();
    return text === '' ? undefined : JSON.parse(text);
  } catch (error) {
    const what =
      text === '' ? `an answer that did not end: ${(error as Error).message}` : `no JSON: ${text.slice(0, 200)}`;
    throw new StepError(`${asked} answered ${response.status} and ${what}`);
  }
}

/** The body of an answer of that status. Throws StepError with what the service said instead. */
export function expected({ status, body }: ApiReply, wanted: number, asked: string): Json {
  if (status === wanted) return body;
  throw new StepError(
    `${asked} answered ${status} in place of ${wanted}: ${body?.error ?? JSON.stringify(body) ?? ''}`,
  );
}

/** Asks until the answer is no undefined. Throws StepError, that says what was waited for, after `seconds`. */
export async function eventually<T>(what: string, seconds: number, ask: () => Promise<T | undefined>): Promise<T> {
  const deadline = Date.now() + seconds * 1000;
  for (;;) {
    const answer = await ask();
    if (answer !== undefined) return answer;
    if (Date.now() >= deadline) throw new StepError(`${what}: not within ${seconds} s`);
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
}
