import { shorten } from './text.ts';

/** HTTP status by error code (docs/api/errors.md#codes). */
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

/** `path` is the place in the request: `fields.3.name`. */
export type ErrorDetail = { path: string; message: string };

/** Error whose message reaches a client. Other errors become INTERNAL without details, except RpcError in MCP. */
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

/** Converts any error to one that a client can see. The caller logs an internal error. */
export const asAppError = (error: unknown): AppError =>
  error instanceof AppError ? error : new AppError('INTERNAL', 'Internal error. It has been logged.', { cause: error });

/** Returns the body of an error response. @param request_id finds an internal error in the log */
export const errorBody = ({ message, code, details }: AppError, request_id?: string) => ({
  error: message,
  code,
  ...(details && { details }),
  ...(code === 'INTERNAL' && request_id !== undefined && { request_id }),
});

/** Maximum characters of a name in a message: more than any id or slug has. */
const MAX_NAMED = 300;

export const notFound = (what: string): AppError =>
  new AppError('NOT_FOUND', `${shorten(what, MAX_NAMED)} does not exist.`);

export const invalid = (path: string, message: string): AppError =>
  new AppError('VALIDATION_ERROR', `${path}: ${message}`, { details: [{ path, message }] });
