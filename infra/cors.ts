/** What a page of another origin may do with the API, and an MCP client on one that the operator names, on both targets. */
export const ALLOWED_METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'DELETE'] as const;
export const ALLOWED_HEADERS = [
  'authorization',
  'content-type',
  'idempotency-key',
  'mcp-protocol-version',
  'mcp-session-id',
  'mcp-method',
  'mcp-name',
] as const;
export const EXPOSED_HEADERS = [
  'x-request-id',
  'link',
  'retry-after',
  'ratelimit',
  'ratelimit-policy',
  'mcp-session-id',
] as const;
