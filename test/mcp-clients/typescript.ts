import {
  Client as Client2,
  StreamableHTTPClientTransport as Http2,
  SSEClientTransport as Sse2,
} from '@modelcontextprotocol/client';
import { Client as Client1 } from '@modelcontextprotocol/sdk/client/index.js';
import { SSEClientTransport as Sse1 } from '@modelcontextprotocol/sdk/client/sse.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport as Http1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { Call, Seen } from './fleet.ts';

const ME = { name: 'fleetwatch-test', version: '1.0.0' };

export type Address = { url: string; key: string };

const options = ({ key }: Address) => ({ requestInit: { headers: { Authorization: `Bearer ${key}` } } });

/** Transports of the TypeScript SDK 1.x. */
export const transportsV1 = {
  sse: (at: Address) => new Sse1(new URL(at.url), options(at)),
  http: (at: Address) => new Http1(new URL(at.url), options(at)),
};

export async function connectV1(transport: Transport): Promise<Client1> {
  const client = new Client1(ME);
  await client.connect(transport);
  return client;
}

/** Lists the tools and makes every call with the client of SDK 1.x. */
export async function walkV1(transport: Transport, calls: Call[]): Promise<Seen> {
  const client = await connectV1(transport);
  try {
    const { tools } = await client.listTools();
    const results: Seen['results'] = [];
    for (const call of calls) results.push((await client.callTool(call)) as Seen['results'][number]);
    const { protocolVersion, _protocolVersion } = transport as { protocolVersion?: string; _protocolVersion?: string };
    return { version: protocolVersion ?? _protocolVersion, tools: tools.map(({ name }) => name), results };
  } finally {
    await client.close();
  }
}

export async function connectV2(
  at: Address,
  kind: 'sse' | 'http',
  mode: 'legacy' | 'auto' | { pin: string },
): Promise<Client2> {
  const client = new Client2(ME, { versionNegotiation: { mode } });
  await client.connect(
    kind === 'sse' ? new Sse2(new URL(at.url), options(at)) : new Http2(new URL(at.url), options(at)),
  );
  return client;
}

/** Lists the tools and makes every call with the client of SDK 2.x. */
export async function walkV2(
  at: Address,
  kind: 'sse' | 'http',
  mode: 'legacy' | 'auto' | { pin: string },
  calls: Call[],
): Promise<Seen> {
  const client = await connectV2(at, kind, mode);
  try {
    const { tools } = await client.listTools();
    const results: Seen['results'] = [];
    for (const call of calls) results.push((await client.callTool(call)) as Seen['results'][number]);
    return { version: client.getNegotiatedProtocolVersion(), tools: tools.map(({ name }) => name), results };
  } finally {
    await client.close();
  }
}

/**
 * Returns the transport of mcp-remote, started as desktop applications start it.
 * @param flags such as `--transport sse-only`
 */
export const mcpRemote = ({ url, key }: Address, flags: string[]): Transport =>
  new StdioClientTransport({
    command: process.execPath,
    // biome-ignore lint/suspicious/noTemplateCurlyInString: mcp-remote substitutes the variable
    args: ['node_modules/mcp-remote/dist/proxy.js', url, '--header', 'Authorization:${AUTH}', ...flags],
    env: {
      PATH: process.env.PATH ?? '',
      MCP_REMOTE_CONFIG_DIR: '.cache/mcp-remote',
      AUTH: `Bearer ${key}`,
    },
    stderr: 'ignore',
  }) as Transport;
