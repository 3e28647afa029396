import { CODE, isObject, RpcError, type RpcRequest } from '#lib/mcp/json-rpc.ts';

/**
 * Which of three protocols a client speaks. `stream`: HTTP+SSE of 2024-11-05, answers come on an open GET.
 * `handshake`: Streamable HTTP with initialize, 2025-03-26 to 2025-11-25. `stateless`: 2026-07-28, every request
 * carries its version in `_meta` and in headers.
 */
export type ProtocolVariant = 'stream' | 'handshake' | 'stateless';

export const STREAM_VERSION = '2024-11-05';
/** Newest first; 2024-11-05 too, as clients of spring 2025 offer it over Streamable HTTP. */
export const HANDSHAKE_VERSIONS = ['2025-11-25', '2025-06-18', '2025-03-26', STREAM_VERSION];
export const STATELESS_VERSIONS = ['2026-07-28'];

export const VERSION_HEADER = 'mcp-protocol-version';
const VERSION_KEY = 'io.modelcontextprotocol/protocolVersion';

const claimedVersion = (message: unknown): unknown =>
  isObject(message) && isObject(message.params) && isObject(message.params._meta)
    ? message.params._meta[VERSION_KEY]
    : undefined;

/** The protocol of a POST that belongs to no stream, by what its body claims or else its header. */
export function variantOf(headers: Headers, body: unknown): 'handshake' | 'stateless' {
  const named = headers.get(VERSION_HEADER);
  return claimedVersion(body) !== undefined || (named !== null && STATELESS_VERSIONS.includes(named))
    ? 'stateless'
    : 'handshake';
}

const unsupported = (requested: unknown, supported: string[]): RpcError =>
  new RpcError(CODE.UNSUPPORTED_VERSION, `The protocol version ${requested} is not supported.`, {
    supported,
    requested,
  });

/** Throws RpcError when a POST of the handshake protocol names a version that there is not. */
export function mustBeHandshake(headers: Headers): void {
  const named = headers.get(VERSION_HEADER);
  if (named !== null && !HANDSHAKE_VERSIONS.includes(named)) {
    throw unsupported(named, [...STATELESS_VERSIONS, ...HANDSHAKE_VERSIONS]);
  }
}

/** Holds the headers of a stateless request against its body (MCP 2026-07-28, standard headers). Throws RpcError. */
export function mustBeStateless(headers: Headers, { method, params }: RpcRequest): void {
  const claimed = claimedVersion({ params });
  if (claimed === undefined) {
    throw new RpcError(CODE.INVALID_PARAMS, `params._meta must hold ${VERSION_KEY}, as the header names its version.`);
  }
  mustAgree(headers, 'MCP-Protocol-Version', claimed);
  if (!STATELESS_VERSIONS.some((version) => version === claimed)) throw unsupported(claimed, STATELESS_VERSIONS);
  mustAgree(headers, 'Mcp-Method', method);
  if (method === 'tools/call' && params.name !== undefined) mustAgree(headers, 'Mcp-Name', params.name);
}

function mustAgree(headers: Headers, name: string, expected: unknown): void {
  const given = headers.get(name);
  if (given === null) throw new RpcError(CODE.HEADER_MISMATCH, `The header ${name} is missing.`);
  if (decoded(given) !== expected) {
    throw new RpcError(CODE.HEADER_MISMATCH, `The header ${name} is ${given}, but the body says ${expected}.`);
  }
}

/** A header value that is not plain ASCII travels as `=?base64?…?=`. */
function decoded(value: string): string {
  const encoded = /^=\?base64\?([A-Za-z0-9+/]*={0,2})\?=$/.exec(value)?.[1];
  return encoded === undefined ? value : Buffer.from(encoded, 'base64').toString('utf8');
}
