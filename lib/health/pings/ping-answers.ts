import type { AppError, ErrorCode } from '#lib/platform/errors.ts';
import { PUSH_HEADERS } from '#lib/platform/http/answer-headers.ts';
import type { ApiResult } from '#lib/platform/http/api-event.ts';

// The answers to pings: short texts, to the letter as clients of Healthchecks know them.

/** Below it, every request is a ping. */
export const PING_PATH = '/ping/';

/** A path as it may be logged: the address of a ping is a secret. */
export const loggedPath = (path: string): string => (path.startsWith(PING_PATH) ? `${PING_PATH}…` : path);

/** Bytes of a body that are read; clients cut theirs by it. */
export const BODY_LIMIT = 10_000;

const NOT_FOUND = 'not found';

/** In place of a sentence for people. What is not here says itself what was wrong. */
const TEXTS: Partial<Record<ErrorCode, string>> = {
  ACCOUNT_DISABLED: NOT_FOUND,
  RATE_LIMITED: 'rate limited',
  METHOD_NOT_ALLOWED: 'method not allowed',
  UNAVAILABLE: 'unavailable',
  INTERNAL: 'internal error',
};

/** 201 `Created`: the ping has made its check. */
export const said = (text: 'OK' | 'Created', requestId: string): ApiResult => {
  return { statusCode: text === 'OK' ? 200 : 201, headers: headersOf(requestId), body: text };
};

/** The answer to a ping that was refused, or failed. */
export function failed({ code, status, message, headers }: AppError, requestId: string): ApiResult {
  const { allow, 'retry-after': after = status === 503 ? '1' : undefined } = headers;
  return {
    statusCode: code === 'ACCOUNT_DISABLED' ? 404 : status,
    headers: { ...headersOf(requestId), ...(allow && { allow }), ...(after && { 'retry-after': after }) },
    body: code === 'NOT_FOUND' ? notFoundText(message) : (TEXTS[code] ?? message),
  };
}

/** What a ping itself says of it; that of a check which goes at this moment is for people. */
const notFoundText = (message: string): string => (message.startsWith(NOT_FOUND) ? message : NOT_FOUND);

const headersOf = (requestId: string): Record<string, string> => ({
  ...PUSH_HEADERS,
  'content-type': 'text/plain; charset=utf-8',
  'access-control-allow-origin': '*',
  'ping-body-limit': String(BODY_LIMIT),
  'x-request-id': requestId,
});
