import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { catalogOps } from '#test/support/catalog-ops.ts';
import { type RealService, startRealService } from '#test/support/real-service.ts';
import { connectV1 } from './typescript.ts';

const root = new URL('../../', import.meta.url).pathname;
const page = readFileSync(`${root}docs/use/agents.md`, 'utf8');
const blocks = (language: string) =>
  [...page.matchAll(new RegExp(`\`\`\`${language}\n(.*?)\`\`\``, 'gs'))].map(([, text]) => text!);

let service: RealService;
beforeAll(async () => {
  service = await startRealService();
});
afterAll(() => service[Symbol.asyncDispose]());

const here = (text: string) =>
  text
    .replaceAll('http://127.0.0.1:8787', service.url)
    .replaceAll(/\$\{(env:FLEETWATCH_KEY|input:key|FLEETWATCH_KEY)\}/g, service.client.key);

type Server = {
  url?: string;
  headers?: Record<string, string>;
  command?: string;
  args?: string[];
  env?: Record<string, string>;
};

/** Returns the transport that a client with these settings uses. */
function transportOf({ url, headers, command, args = [], env = {} }: Server): Transport {
  if (url) return new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers: headers! } }) as Transport;
  expect([command, ...args.slice(0, 2)]).toEqual(['npx', '-y', 'mcp-remote']);
  return new StdioClientTransport({
    command: process.execPath,
    args: [`${root}node_modules/mcp-remote/dist/proxy.js`, ...args.slice(2)],
    env: { ...env, PATH: process.env.PATH ?? '', MCP_REMOTE_CONFIG_DIR: `${root}.cache/mcp-remote` },
    stderr: 'ignore',
  }) as Transport;
}

describe('docs/use/agents.md', () => {
  it('registers a file with exactly the built-in tools, and names each', () => {
    expect(JSON.parse(readFileSync(`${root}docs/catalog-ops.json`, 'utf8'))).toEqual(catalogOps());
    for (const { name } of catalogOps().tools) expect(page).toContain(`\`${name}\``);
  });

  it('has snippets that work in sequence', async () => {
    const snippets = blocks('sh').filter((text) => text.includes('curl'));
    expect(snippets).toHaveLength(4);
    const script = here(snippets.join('\necho\n').replace('ci.example.com', '127.77.0.1'));
    const { stdout } = await promisify(execFile)('bash', ['-euo', 'pipefail', '-c', script], {
      cwd: root,
      env: { ...process.env, FLEETWATCH_KEY: service.client.key },
    });
    expect(stdout).not.toContain('"error"');
    expect(stdout).toContain('"structuredContent":{"entities":[]');
    const skills = (await service.client.get('/v1/skills')).body;
    expect(skills.map(({ slug }: { slug: string }) => slug)).toEqual(['catalog-ops', 'runbook']);
  });

  it.each(['.mcp.json', 'claude_desktop_config.json', '~/.cursor/mcp.json', '.vscode/mcp.json'])(
    'has settings in %s that connect',
    { timeout: 30_000 },
    async (file) => {
      const block = page.slice(page.indexOf(`\`${file}\``)).match(/```json\n(.*?)```/s)![1]!;
      const settings = JSON.parse(here(block)) as {
        mcpServers?: Record<string, Server>;
        servers?: Record<string, Server>;
      };
      const client = await connectV1(transportOf((settings.mcpServers ?? settings.servers)!.fleetwatch!));
      const { tools } = await client.listTools();
      expect(tools.map(({ name }) => name)).toContain('get_status_summary');
      await client.close();
    },
  );

  it('gives Claude Code the right transport, address and header', () => {
    const command = blocks('sh').find((text) => text.startsWith('claude'))!;
    expect(here(command).trim()).toBe(
      `claude mcp add --transport http fleetwatch ${service.url}/v1/mcp --header "Authorization: Bearer $FLEETWATCH_KEY"`,
    );
  });
});
