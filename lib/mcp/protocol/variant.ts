import { CODE, RpcError, type RpcRequest } from '#lib/mcp/json-rpc.ts';
import { isObject } from '#lib/platform/plain-data.ts';

/**
 * Protocol of a client. `stream`: HTTP+SSE of 2024-11-05, responses on an open GET. `handshake`: Streamable HTTP with
 * initialize, 2025-03-26 to 2025-11-25. `stateless`: 2026-07-28, version in `_meta` and headers of each request.
 */
export type ProtocolVariant = 'stream' | 'handshake' | 'stateless';

export const STREAM_VERSION = '2024-11-05';
/** Newest first. Includes 2024-11-05, because clients of spring 2025 offer it over Streamable HTTP. */
export const HANDSHAKE_VERSIONS = ['2025-11-25', '2025-06-18', '2025-03-26', STREAM_VERSION];
export const STATELESS_VERSIONS = ['2026-07-28'];

export const VERSION_HEADER = 'mcp-protocol-version';
const VERSION_KEY = 'io.modelcontextprotocol/protocolVersion';

const claimedVersion = (message: unknown): unknown =>
  isObject(message) && isObject(message.params) && isObject(message.params._meta)
    ? message.params._meta[VERSION_KEY]
    : undefined;

/** Returns the protocol of a POST: stateless if the body names any version, or the header a stateless version. */
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

/** Throws RpcError if a POST of the handshake protocol names an unknown version. */
export function assertHandshakeVersion(headers: Headers): void {
  const named = headers.get(VERSION_HEADER);
  if (named !== null && !HANDSHAKE_VERSIONS.includes(named)) {
    throw unsupported(named, [...STATELESS_VERSIONS, ...HANDSHAKE_VERSIONS]);
  }
}

/** Compares the headers of a stateless request with its body (MCP 2026-07-28, standard headers). Throws RpcError. */
export function assertStatelessHeaders(headers: Headers, { method, params }: RpcRequest): void {
  const claimed = claimedVersion({ params });
  if (claimed === undefined) {
    const message = `params._meta must have ${VERSION_KEY}, with the version of the header MCP-Protocol-Version.`;
    throw new RpcError(CODE.INVALID_PARAMS, message);
  }
  assertHeaderMatches(headers, 'MCP-Protocol-Version', claimed);
  if (!STATELESS_VERSIONS.some((version) => version === claimed)) throw unsupported(claimed, STATELESS_VERSIONS);
  assertHeaderMatches(headers, 'Mcp-Method', method);
  if (method === 'tools/call' && params.name !== undefined) assertHeaderMatches(headers, 'Mcp-Name', params.name);
}

function assertHeaderMatches(headers: Headers, name: string, expected: unknown): void {
  const given = headers.get(name);
  if (given === null) throw new RpcError(CODE.HEADER_MISMATCH, `The header ${name} is missing.`);
  if (decoded(given) !== expected) {
    throw new RpcError(CODE.HEADER_MISMATCH, `The header ${name} is ${given}, but the body has ${expected}.`);
  }
}

/** Decodes a header value; non-ASCII values are encoded as `=?base64?…?=`. */
function decoded(value: string): string {
  const encoded = /^=\?base64\?([A-Za-z0-9+/]*={0,2})\?=$/.exec(value)?.[1];
  return encoded === undefined ? value : Buffer.from(encoded, 'base64').toString('utf8');
}
