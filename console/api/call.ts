import type { ErrorCode, ErrorDetail } from '#lib/platform/errors.ts';

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

/** Error response of the API, or a failed request. The message is human-readable. */
export class ApiFailure extends Error {
  /** HTTP status; 0 without a response. */
  readonly status: number;
  /** UNREACHABLE: no response, or a response that is not from the API. */
  readonly code: ErrorCode | 'UNREACHABLE';
  readonly details: readonly ErrorDetail[];
  /** Seconds to wait before a retry, if the API names them. */
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

type CallOptions = {
  signal?: AbortSignal | undefined;
  /** Whether the call needs no session, so that a 401 does not mean that the session has ended. */
  open?: boolean;
};

let sessionEnded = () => {};

export function onSessionEnded(run: () => void): void {
  sessionEnded = run;
}

/** Calls the API. Returns undefined for 204. Throws ApiFailure, the abort error, or the error of an unreadable body. */
export async function call<T>(method: Method, path: string, body?: unknown, options?: CallOptions): Promise<T> {
  return (await request<T>(method, path, body, options)).value;
}

/** Returns a page of a list, and the path of the next page if there is one (header Link, RFC 8288). */
export const callPage = <T>(path: string, options?: CallOptions): Promise<{ value: T; next: string | undefined }> =>
  request<T>('GET', path, undefined, options);

/** Reads all pages of a list. @param onPart is called with the items so far while more pages follow */
export async function callAll<T>(path: string, options?: CallOptions, onPart?: (items: T[]) => void): Promise<T[]> {
  const items: T[] = [];
  for (let next: string | undefined = path; next !== undefined; ) {
    const page: { value: T[]; next: string | undefined } = await callPage<T[]>(next, options);
    items.push(...page.value);
    next = page.next;
    if (next !== undefined) onPart?.([...items]);
  }
  return items;
}

async function request<T>(method: Method, path: string, body: unknown, { signal, open }: CallOptions = {}) {
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
  const isText = response.headers.get('content-type')?.startsWith('text/');
  const value = (response.status === 204 ? undefined : await (isText ? response.text() : response.json())) as T;
  return { value, next: /<([^>]+)>;\s*rel="next"/.exec(response.headers.get('link') ?? '')?.[1] };
}

async function failureOf(response: Response): Promise<ApiFailure> {
  const { status } = response;
  const retryAfter = Number(response.headers.get('retry-after')) || undefined;
  const content = (await response.json().catch(() => ({}))) as Partial<{
    error: string;
    code: ErrorCode;
    details: ErrorDetail[];
  }>;
  if (content?.error !== undefined && content.code !== undefined) {
    return new ApiFailure(content.error, { status, code: content.code, details: content.details ?? [], retryAfter });
  }
  const message = `The response has status ${status} and is not from the service. A proxy may have sent it.`;
  return new ApiFailure(message, { status, code: 'UNREACHABLE', retryAfter });
}

export const asFailure = (error: unknown): ApiFailure =>
  error instanceof ApiFailure
    ? error
    : new ApiFailure(`Internal error of this page: ${error instanceof Error ? error.message : error}`, {
        status: 0,
        code: 'INTERNAL',
      });
