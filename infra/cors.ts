/** CORS rules of the API on one machine and on AWS, for ALLOWED_ORIGINS: by default any (`*`), which MCP ignores. */
export const ALLOWED_METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'DELETE'] as const;
export const ALLOWED_HEADERS = [
  'authorization',
  'content-type',
  'idempotency-key',
  'if-none-match',
  'mcp-protocol-version',
  'mcp-session-id',
  'mcp-method',
  'mcp-name',
] as const;
export const EXPOSED_HEADERS = [
  'x-request-id',
  'etag',
  'link',
  'retry-after',
  'ratelimit',
  'ratelimit-policy',
  'mcp-session-id',
] as const;
