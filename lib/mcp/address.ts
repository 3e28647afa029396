/** Where MCP is. */
export const MCP_PATH = '/v1/mcp';

/** Largest body of a POST there, in bytes. */
export const MAX_MCP_BODY = 256 * 1024;
