import type { ErrorCode } from '#lib/platform/errors.ts';

export const MEANING_OF: Record<ErrorCode, string> = {
  UNAUTHORIZED: 'The key or session is missing, malformed, unknown, deleted or expired.',
  ACCOUNT_DISABLED: 'The operator of this service has disabled the account.',
  READ_ONLY: 'A read-only key may only read, and may not list keys or sessions.',
  FORBIDDEN:
    'The role of the user, or the scopes or restrictions of the key are insufficient; the message names what is needed.',
  VALIDATION_ERROR: 'The request is invalid: `details` names each invalid part.',
  NOT_FOUND: 'A resource named by the path or the body does not exist in this account.',
  METHOD_NOT_ALLOWED: 'The path does not support the method; `Allow` lists the supported ones.',
  CONFLICT: 'The request conflicts with the current state: a name in use, a push to a probed check, the last admin.',
  LIMIT_EXCEEDED: 'A limit of the account is reached.',
  LOG_LIMIT: 'The execution already has 1,000 log lines.',
  PAYLOAD_TOO_LARGE: 'The body is larger than this endpoint accepts.',
  RATE_LIMITED: 'Too many requests; retry after `Retry-After` seconds.',
  INTERNAL: 'Internal error; report it with its `request_id`.',
  UNAVAILABLE: 'The store or the identity provider does not respond; retry after `Retry-After` seconds, if given.',
};
