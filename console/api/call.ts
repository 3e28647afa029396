import type { ErrorCode, ErrorDetail } from '#lib/platform/errors.ts';

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

/** What the API refused, or why it could not be asked. The message is for people. */
export class ApiFailure extends Error {
  /** 0 where there was no answer. */
  readonly status: number;
  /** UNREACHABLE: no answer, or one that is not the API's. */
  readonly code: ErrorCode | 'UNREACHABLE';
  /** Where in the request something was wrong. */
  readonly details: readonly ErrorDetail[];
  /** Seconds after which another try makes sense, where the API says so. */
  readonly retryAfter: number | undefined;
  constructor(
    message: string,
    more: { status: number; code: ApiFailure['code']; details?: ErrorDetail[]; retryAfter?: number | undefined },
  ) {
    super(message);
    this.name = 'ApiFailure';
    this.status = more.status;
    this.code = more.code;
    this.details = more.details ?? [];
    this.retryAfter = more.retryAfter;
  }
}

type Sending = {
  signal?: AbortSignal | undefined;
  /** A call that needs no session: a 401 is about what it sends. */
  open?: boolean;
};

let sessionEnded = () => {};

/** Says what to do when the API answers that nobody is signed in (any more). */
export function whenSessionEnded(run: () => void): void {
  sessionEnded = run;
}

/**
 * Calls the API as this page and answers the body; undefined for 204. Throws ApiFailure, and what fetch throws when
 * `signal` is aborted.
 * @param path with its query: `/v1/checks?limit=10`
 */
export async function call<T>(method: Method, path: string, body?: unknown, sending?: Sending): Promise<T> {
  return (await answerOf<T>(method, path, body, sending)).value;
}

/** A page of a list, and the path of the next while there is more (header Link, RFC 8288). */
export const callPage = <T>(path: string, sending?: Sending): Promise<{ value: T; next: string | undefined }> =>
  answerOf<T>('GET', path, undefined, sending);

/** Every item of a list, page by page. @param seen is told of those read so far while there are more */
export async function callAll<T>(path: string, sending?: Sending, seen?: (items: T[]) => void): Promise<T[]> {
  const items: T[] = [];
  for (let next: string | undefined = path; next !== undefined; ) {
    const page: { value: T[]; next: string | undefined } = await callPage<T[]>(next, sending);
    items.push(...page.value);
    next = page.next;
    if (next !== undefined) seen?.([...items]);
  }
  return items;
}

async function answerOf<T>(method: Method, path: string, body: unknown, { signal, open }: Sending = {}) {
  const response = await fetch(path, {
    method,
    headers: { 'x-fleetwatch': 'console', ...(body !== undefined && { 'content-type': 'application/json' }) },
    body: body === undefined ? null : JSON.stringify(body),
    signal: signal ?? null,
  }).catch((error: unknown) => {
    if (signal?.aborted) throw error;
    throw new ApiFailure('The service cannot be reached.', { status: 0, code: 'UNREACHABLE' });
  });
  if (!response.ok) {
    if (response.status === 401 && !open) sessionEnded();
    throw await failureOf(response);
  }
  const isText = response.headers.get('content-type')?.startsWith('text/plain');
  const value = (response.status === 204 ? undefined : await (isText ? response.text() : response.json())) as T;
  return { value, next: /<([^>]+)>;\s*rel="next"/.exec(response.headers.get('link') ?? '')?.[1] };
}

async function failureOf(response: Response): Promise<ApiFailure> {
  const { status } = response;
  const retryAfter = Number(response.headers.get('retry-after')) || undefined;
  const said = (await response.json().catch(() => ({}))) as Partial<{
    error: string;
    code: ErrorCode;
    details: ErrorDetail[];
  }>;
  if (said?.error !== undefined && said.code !== undefined) {
    return new ApiFailure(said.error, { status, code: said.code, details: said.details ?? [], retryAfter });
  }
  const message = `Something between this page and the service answered ${status}.`;
  return new ApiFailure(message, { status, code: 'UNREACHABLE', retryAfter });
}

/** Any error as a failure that can be shown. */
export const asFailure = (error: unknown): ApiFailure =>
  error instanceof ApiFailure
    ? error
    : new ApiFailure(`A fault of this page: ${error instanceof Error ? error.message : error}`, {
        status: 0,
        code: 'INTERNAL',
      });
