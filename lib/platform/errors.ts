import { shorten } from './text.ts';

/** The machine codes of the interface and the status each has (docs/api/errors.md#codes). */
export const STATUS_OF = {
  UNAUTHORIZED: 401,
  ACCOUNT_DISABLED: 403,
  READ_ONLY: 403,
  FORBIDDEN: 403,
  VALIDATION_ERROR: 400,
  NOT_FOUND: 404,
  METHOD_NOT_ALLOWED: 405,
  CONFLICT: 409,
  LIMIT_EXCEEDED: 409,
  LOG_LIMIT: 409,
  PAYLOAD_TOO_LARGE: 413,
  RATE_LIMITED: 429,
  INTERNAL: 500,
  UNAVAILABLE: 503,
} as const;

export type ErrorCode = keyof typeof STATUS_OF;

/** Where in the request something was wrong: `fields.3.name`. */
export type ErrorDetail = { path: string; message: string };

/** The only error whose message reaches a caller. Everything else becomes a blank INTERNAL. */
export class AppError extends Error {
  readonly code: ErrorCode;
  readonly details: ErrorDetail[] | undefined;
  readonly headers: Record<string, string>;
  constructor(
    code: ErrorCode,
    message: string,
    more: { details?: ErrorDetail[]; headers?: Record<string, string>; cause?: unknown } = {},
  ) {
    super(message, { cause: more.cause });
    this.name = 'AppError';
    this.code = code;
    this.details = more.details;
    this.headers = more.headers ?? {};
  }
  get status(): number {
    return STATUS_OF[this.code];
  }
}

/** Any error as one that a caller may see. Of a fault of ours only that: whoever calls this logs it. */
export const asAppError = (error: unknown): AppError =>
  error instanceof AppError ? error : new AppError('INTERNAL', 'A fault of ours. It was logged.', { cause: error });

/** What a caller is told of an error. @param request_id by which a fault of ours is found in the log */
export const errorBody = ({ message, code, details }: AppError, request_id?: string) => ({
  error: message,
  code,
  ...(details && { details }),
  ...(code === 'INTERNAL' && request_id !== undefined && { request_id }),
});

/** No id or slug is as long. */
const MAX_NAMED = 300;

export const notFound = (what: string): AppError =>
  new AppError('NOT_FOUND', `${shorten(what, MAX_NAMED)} does not exist.`);

/** One wrong place of a request, as a VALIDATION_ERROR with its detail. */
export const invalid = (path: string, message: string): AppError =>
  new AppError('VALIDATION_ERROR', `${path}: ${message}`, { details: [{ path, message }] });
