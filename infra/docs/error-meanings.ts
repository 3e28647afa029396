import type { ErrorCode } from '#lib/platform/errors.ts';

/** When each code is answered, for the documents. */
export const MEANING_OF: Record<ErrorCode, string> = {
  UNAUTHORIZED: 'No key or session, or one that is malformed, unknown, deleted, expired or over.',
  ACCOUNT_DISABLED: 'The operator of this service has disabled the account.',
  READ_ONLY: 'A read-only key may read, and nothing else; nor list keys.',
  FORBIDDEN: 'Role of the user, scopes or restrictions of the key are not enough; the message says what it needs.',
  VALIDATION_ERROR: 'The request is wrong: `details` names each wrong place.',
  NOT_FOUND: 'What the path or the body names does not exist, or is not of this account.',
  METHOD_NOT_ALLOWED: 'The path exists, the method does not; `Allow` lists those that do.',
  CONFLICT: 'It contradicts what is there: a name that is taken, a push to a check that is probed, the last admin.',
  LIMIT_EXCEEDED: 'A limit of the account is reached.',
  LOG_LIMIT: 'The execution already holds 1,000 log lines.',
  PAYLOAD_TOO_LARGE: 'The body is larger than this endpoint takes.',
  RATE_LIMITED: 'Too many requests; send it again after `Retry-After` seconds.',
  INTERNAL: 'A fault of ours; report it with its `request_id`.',
  UNAVAILABLE: 'It cannot be written just now; send it again after `Retry-After` seconds.',
};
