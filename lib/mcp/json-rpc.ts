import { sizeProblem } from '#lib/platform/http/json-size.ts';
import { parseJson } from '#lib/platform/http/read-body.ts';
import { isObject } from '#lib/platform/plain-data.ts';

/** Request of a client (JSON-RPC 2.0; in MCP ids are strings or numbers, params are objects). */
export type RpcRequest = { id: string | number; method: string; params: Record<string, unknown> };

export type Incoming =
  | ({ is: 'request' } & RpcRequest)
  /** Needs no response: a notification, or a response. Responses are ignored: the service sends no requests. */
  | { is: 'silent' }
  | { is: 'invalid'; id: string | number | null; why: string };

export type RpcReply =
  | { jsonrpc: '2.0'; id: string | number; result: object }
  | { jsonrpc: '2.0'; id: string | number | null; error: { code: number; message: string; data?: unknown } };

export const CODE = {
  PARSE_ERROR: -32700,
  INVALID_REQUEST: -32600,
  METHOD_NOT_FOUND: -32601,
  INVALID_PARAMS: -32602,
  INTERNAL_ERROR: -32603,
  /** MCP 2026-07-28: a header contradicts the body, or is missing. */
  HEADER_MISMATCH: -32020,
  /** MCP 2026-07-28: `data.supported` lists the supported versions. */
  UNSUPPORTED_VERSION: -32022,
} as const;

/** Protocol error. A failed tool call is a result with `isError` instead. */
export class RpcError extends Error {
  readonly code: number;
  readonly data: unknown;
  constructor(code: number, message: string, data?: unknown) {
    super(message);
    this.name = 'RpcError';
    this.code = code;
    this.data = data;
  }
}

export const errorReply = (id: string | number | null, { code, message, data }: RpcError): RpcReply => ({
  jsonrpc: '2.0',
  id,
  error: { code, message, ...(data !== undefined && { data }) },
});

const MAX_BATCH_MESSAGES = 10;

/** Content of a POST: one message, or a batch as in MCP 2025-03-26. */
export type Posted = { body: unknown; isBatch: boolean; messages: Incoming[] };

/** Parses a body. Throws RpcError if it is not valid JSON, exceeds a limit, or is an empty batch. */
export function readPosted(bytes: Uint8Array): Posted {
  const excess = sizeProblem(bytes);
  if (excess !== undefined) throw new RpcError(CODE.INVALID_REQUEST, `The message ${excess}.`);
  const body = parseBody(bytes);
  if (Array.isArray(body) && (body.length === 0 || body.length > MAX_BATCH_MESSAGES)) {
    const message = `A batch has 1 to ${MAX_BATCH_MESSAGES} messages; this one has ${body.length}. Split a larger one.`;
    throw new RpcError(CODE.INVALID_REQUEST, message);
  }
  if (!Array.isArray(body)) return { body, isBatch: false, messages: [readMessage(body)] };
  return { body, isBatch: true, messages: body.map(readMessage) };
}

function parseBody(bytes: Uint8Array): unknown {
  try {
    return parseJson(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch (error) {
    throw new RpcError(CODE.PARSE_ERROR, `The body is not valid JSON in UTF-8: ${(error as Error).message}`);
  }
}

/** Whether a value is nested more than `levels` deep. */
export const isDeeper = (value: unknown, levels: number): boolean =>
  typeof value === 'object' &&
  value !== null &&
  (levels === 0 || Object.values(value).some((part) => isDeeper(part, levels - 1)));

function readMessage(value: unknown): Incoming {
  if (!isObject(value)) return { is: 'invalid', id: null, why: 'A message must be a JSON object.' };
  const { jsonrpc, id, method, params } = value;
  const validId = typeof id === 'string' || typeof id === 'number' ? id : null;
  if (jsonrpc !== '2.0') return { is: 'invalid', id: validId, why: 'The property jsonrpc must be "2.0".' };
  if (method === undefined && validId !== null && ('result' in value || 'error' in value)) return { is: 'silent' };
  if (typeof method !== 'string') return { is: 'invalid', id: validId, why: 'The property method must be a string.' };
  if (!('id' in value)) return { is: 'silent' };
  if (validId === null) return { is: 'invalid', id: null, why: 'The property id must be a string or a number.' };
  if (params !== undefined && !isObject(params)) {
    return { is: 'invalid', id: validId, why: 'The property params must be an object.' };
  }
  return { is: 'request', id: validId, method, params: params ?? {} };
}
