import type { StateContext } from '#lib/checks/state/on-change.ts';
import { callTool } from '#lib/mcp/call-tool.ts';
import { CODE, errorReply, type Incoming, RpcError, type RpcReply } from '#lib/mcp/json-rpc.ts';
import { listTools } from '#lib/mcp/list-tools.ts';
import { asAppError } from '#lib/platform/errors.ts';
import { VERSION } from '#lib/platform/version.ts';
import { HANDSHAKE_VERSIONS, type ProtocolVariant, STATELESS_VERSIONS, STREAM_VERSION } from './variant.ts';

const SERVER_INFO = { name: 'fleetwatch', title: 'Fleetwatch', version: VERSION };
const CAPABILITIES = { tools: {} };
const INSTRUCTIONS =
  'Monitoring of a catalog of entities, such as services and hosts, with their checks, alerts and incidents. ' +
  'The enabled skills of the account contain the tools. If no tool is listed, register a skill with POST /v1/skills.';

/** Time (ms) for which a stateless client may cache lists and discovery; it is not notified of changes. */
const TTL_MS = 60_000;
const CACHED = { ttlMs: TTL_MS, cacheScope: 'private' };

type Method = {
  variants: readonly ProtocolVariant[];
  run(context: StateContext, params: Record<string, unknown>, variant: ProtocolVariant): object | Promise<object>;
  cached?: true;
};

const METHODS = new Map<string, Method>([
  [
    'initialize',
    {
      variants: ['stream', 'handshake'],
      run: (_context, { protocolVersion }, variant) => ({
        protocolVersion: negotiated(protocolVersion, variant),
        capabilities: CAPABILITIES,
        serverInfo: SERVER_INFO,
        instructions: INSTRUCTIONS,
      }),
    },
  ],
  ['ping', { variants: ['stream', 'handshake'], run: () => ({}) }],
  [
    'server/discover',
    {
      variants: ['stateless'],
      run: () => ({ supportedVersions: STATELESS_VERSIONS, capabilities: CAPABILITIES, instructions: INSTRUCTIONS }),
      cached: true,
    },
  ],
  [
    'tools/list',
    {
      variants: ['stream', 'handshake', 'stateless'],
      run: (context, { cursor }) => listTools(context, cursor),
      cached: true,
    },
  ],
  ['tools/call', { variants: ['stream', 'handshake', 'stateless'], run: callTool }],
]);

/**
 * Returns the version of the session. A stream always gets 2024-11-05: its client sends the version when it reconnects,
 * and a GET with another version is rejected.
 */
function negotiated(requested: unknown, variant: ProtocolVariant): string {
  if (variant === 'stream') return STREAM_VERSION;
  return HANDSHAKE_VERSIONS.find((version) => version === requested) ?? HANDSHAKE_VERSIONS[0]!;
}

/** Returns the reply to a message; never rejects. */
export async function respondTo(
  context: StateContext,
  variant: ProtocolVariant,
  message: Exclude<Incoming, { is: 'silent' }>,
): Promise<RpcReply> {
  if (message.is === 'invalid') return errorReply(message.id, new RpcError(CODE.INVALID_REQUEST, message.why));
  const { id, method, params } = message;
  try {
    const found = METHODS.get(method);
    if (!found?.variants.includes(variant)) {
      throw new RpcError(CODE.METHOD_NOT_FOUND, `The method ${method} does not exist.`);
    }
    const result = await found.run(context, params, variant);
    return { jsonrpc: '2.0', id, result: variant === 'stateless' ? statelessResult(result, found) : result };
  } catch (error) {
    return errorReply(id, asRpcError(context, method, error));
  }
}

const statelessResult = (result: object, { cached }: Method): object => ({
  resultType: 'complete',
  ...result,
  ...(cached && CACHED),
  _meta: { 'io.modelcontextprotocol/serverInfo': SERVER_INFO },
});

function asRpcError(context: StateContext, method: string, error: unknown): RpcError {
  if (error instanceof RpcError) return error;
  context.ports.log.error('MCP request failed', { tenant_id: context.tenant, method, error });
  return new RpcError(CODE.INTERNAL_ERROR, asAppError(error).message);
}
