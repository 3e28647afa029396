/** What a page of another origin may do with the API, on both targets. */
export const ALLOWED_METHODS = ['GET', 'POST', 'PUT', 'DELETE'] as const;
export const ALLOWED_HEADERS = ['authorization', 'content-type', 'idempotency-key'] as const;
export const EXPOSED_HEADERS = ['x-request-id', 'link', 'retry-after'] as const;
