/** How an MCP client is told of the service. */
type McpClient = {
  name: string;
  /** Where the text goes. */
  where: string;
  /** @param url of the MCP endpoint @param key the raw API key */
  text: (url: string, key: string) => string;
};

const json = (value: unknown): string => JSON.stringify(value, null, 2);
const bearer = (key: string) => ({ Authorization: `Bearer ${key}` });

/** The clients of docs/use/agents.md, in its order. */
export const MCP_CLIENTS: readonly McpClient[] = [
  {
    name: 'Claude Code',
    where: 'In a shell',
    text: (url, key) => `claude mcp add --transport http fleetwatch ${url} --header "Authorization: Bearer ${key}"`,
  },
  {
    name: 'Claude Desktop',
    where: 'claude_desktop_config.json',
    // No blank behind `Authorization:`, as some systems split the argument there.
    text: (url, key) =>
      json({
        mcpServers: {
          fleetwatch: {
            command: 'npx',
            // biome-ignore lint/suspicious/noTemplateCurlyInString: mcp-remote fills it in
            args: ['-y', 'mcp-remote', url, '--header', 'Authorization:${AUTH}'],
            env: { AUTH: `Bearer ${key}` },
          },
        },
      }),
  },
  {
    name: 'Cursor',
    where: '~/.cursor/mcp.json, or .cursor/mcp.json of a project',
    text: (url, key) => json({ mcpServers: { fleetwatch: { url, headers: bearer(key) } } }),
  },
  {
    name: 'VS Code',
    where: '.vscode/mcp.json; it asks for the key once and keeps it',
    text: (url) =>
      json({
        inputs: [{ type: 'promptString', id: 'key', description: 'Fleetwatch API key', password: true }],
        // biome-ignore lint/suspicious/noTemplateCurlyInString: the client fills it in
        servers: { fleetwatch: { type: 'http', url, headers: bearer('${input:key}') } },
      }),
  },
];

/** A first call by hand: the tools that an agent would find. */
export const tryIt = (url: string, key: string): string =>
  `curl -sS ${url} -H "Authorization: Bearer ${key}" \\\n  -d '{"jsonrpc": "2.0", "id": 1, "method": "tools/list"}'`;
