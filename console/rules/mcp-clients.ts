type McpClient = {
  name: string;
  where: string;
  text: (url: string, key: string) => string;
};

const json = (value: unknown): string => JSON.stringify(value, null, 2);
const bearer = (key: string) => ({ Authorization: `Bearer ${key}` });

/** Same clients and order as docs/use/agents.md. */
export const MCP_CLIENTS: readonly McpClient[] = [
  {
    name: 'Claude Code',
    where: 'Shell command',
    text: (url, key) => `claude mcp add --transport http fleetwatch ${url} --header "Authorization: Bearer ${key}"`,
  },
  {
    name: 'Claude Desktop',
    where: 'claude_desktop_config.json',
    // No space after `Authorization:`, because some systems split the argument there.
    text: (url, key) =>
      json({
        mcpServers: {
          fleetwatch: {
            command: 'npx',
            // biome-ignore lint/suspicious/noTemplateCurlyInString: mcp-remote replaces it
            args: ['-y', 'mcp-remote', url, '--header', 'Authorization:${AUTH}'],
            env: { AUTH: `Bearer ${key}` },
          },
        },
      }),
  },
  {
    name: 'Cursor',
    where: '~/.cursor/mcp.json, or .cursor/mcp.json in a project',
    text: (url, key) => json({ mcpServers: { fleetwatch: { url, headers: bearer(key) } } }),
  },
  {
    name: 'VS Code',
    where: '.vscode/mcp.json; VS Code asks for the key once and stores it',
    text: (url) =>
      json({
        inputs: [{ type: 'promptString', id: 'key', description: 'Fleetwatch API key', password: true }],
        // biome-ignore lint/suspicious/noTemplateCurlyInString: the client replaces it
        servers: { fleetwatch: { type: 'http', url, headers: bearer('${input:key}') } },
      }),
  },
];

export const listToolsCommand = (url: string, key: string): string =>
  `curl -sS ${url} -H "Authorization: Bearer ${key}" \\\n  -d '{"jsonrpc": "2.0", "id": 1, "method": "tools/list"}'`;
