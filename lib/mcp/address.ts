export const MCP_PATH = '/v1/mcp';

/** Maximum body size of a POST, in bytes. */
export const MAX_MCP_BODY = 256 * 1024;
