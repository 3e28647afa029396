import type { Context } from '#lib/access/context.ts';
import { asAppError } from '#lib/platform/errors.ts';
import { VERSION } from '#lib/platform/version.ts';
import { callTool } from './call-tool.ts';
import { type Era, HANDSHAKE_VERSIONS, STATELESS_VERSIONS, STREAM_VERSION } from './era.ts';
import { CODE, errorReply, type Incoming, RpcError, type RpcReply } from './json-rpc.ts';
import { listTools } from './list-tools.ts';

const SERVER_INFO = { name: 'fleetwatch', title: 'Fleetwatch', version: VERSION };
const CAPABILITIES = { tools: {} };
const INSTRUCTIONS =
  'A catalog of what is run, checks on it, and its incidents. The tools are those of the skills that the account has ' +
  'registered and enabled; when there are none, register one with POST /v1/skills.';

/** How long a client of the stateless era may keep what lists and discovery say (ms): nothing tells it of changes. */
const TTL_MS = 60_000;
const CACHED = { ttlMs: TTL_MS, cacheScope: 'private' };

type Method = {
  eras: readonly Era[];
  run(context: Context, params: Record<string, unknown>, era: Era): object | Promise<object>;
  /** The stateless era is told how long the result holds. */
  cached?: true;
};

const METHODS = new Map<string, Method>([
  [
    'initialize',
    {
      eras: ['stream', 'handshake'],
      run: (_context, { protocolVersion }, era) => ({
        protocolVersion: negotiated(protocolVersion, era),
        capabilities: CAPABILITIES,
        serverInfo: SERVER_INFO,
        instructions: INSTRUCTIONS,
      }),
    },
  ],
  ['ping', { eras: ['stream', 'handshake'], run: () => ({}) }],
  [
    'server/discover',
    {
      eras: ['stateless'],
      run: () => ({ supportedVersions: STATELESS_VERSIONS, capabilities: CAPABILITIES, instructions: INSTRUCTIONS }),
      cached: true,
    },
  ],
  [
    'tools/list',
    {
      eras: ['stream', 'handshake', 'stateless'],
      run: (context, { cursor }) => listTools(context, cursor),
      cached: true,
    },
  ],
  ['tools/call', { eras: ['stream', 'handshake', 'stateless'], run: callTool }],
]);

/**
 * The stream's clients are told 2024-11-05 whatever they ask for: with that in the header of a GET, they are known
 * again when they reconnect.
 */
function negotiated(asked: unknown, era: Era): string {
  if (era === 'stream') return STREAM_VERSION;
  return HANDSHAKE_VERSIONS.find((version) => version === asked) ?? HANDSHAKE_VERSIONS[0]!;
}

/** Answers whatever wants an answer; never throws. */
export async function answer(
  context: Context,
  era: Era,
  message: Exclude<Incoming, { is: 'silent' }>,
): Promise<RpcReply> {
  if (message.is === 'invalid') return errorReply(message.id, new RpcError(CODE.INVALID_REQUEST, message.why));
  const { id, method, params } = message;
  try {
    const found = METHODS.get(method);
    if (!found?.eras.includes(era)) {
      throw new RpcError(CODE.METHOD_NOT_FOUND, `There is no method ${method}.`);
    }
    const result = await found.run(context, params, era);
    return { jsonrpc: '2.0', id, result: era === 'stateless' ? complete(result, found) : result };
  } catch (error) {
    return errorReply(id, asRpcError(context, method, error));
  }
}

/** A result as MCP 2026-07-28 has it. */
const complete = (result: object, { cached }: Method): object => ({
  resultType: 'complete',
  ...result,
  ...(cached && CACHED),
  _meta: { 'io.modelcontextprotocol/serverInfo': SERVER_INFO },
});

function asRpcError(context: Context, method: string, error: unknown): RpcError {
  if (error instanceof RpcError) return error;
  context.ports.log.error('an MCP request failed', { tenant_id: context.tenant, method, error });
  return new RpcError(CODE.INTERNAL_ERROR, asAppError(error).message);
}
