import type { ClientRequest, IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { VERSION } from '#lib/platform/version.ts';
import { NetError } from './net.ts';
import { exchangeError } from './net-errors.ts';
import { request as httpRequest } from './node-http.ts';
import type { Hop } from './redirect.ts';
import type { RequestTimeout } from './request-timeout.ts';
import { type BodyOptions, MAX_SMALL_BYTES, MEAN_PIECE_BYTES, ResponseBody } from './response-body.ts';

const CHUNK_BYTES = 2 * 1024;

/**
 * Passes received data to the parser in small chunks, and none after the socket is destroyed. Otherwise the parser
 * would get up to 64 KB at once, and create an object for each HTTP chunk in them.
 * @param onChunk called before each chunk with the bytes received so far, including that chunk
 */
function inSmallChunks(socket: Socket, onChunk: (bytes: number) => void): void {
  const push = socket.push;
  let received = 0;
  socket.push = (arrived: Buffer | null): boolean => {
    if (arrived === null) return push.call(socket, null);
    let wantsMore = false;
    for (let from = 0; from < arrived.length && !socket.destroyed; from += CHUNK_BYTES) {
      const chunk = arrived.length <= CHUNK_BYTES ? arrived : arrived.subarray(from, from + CHUNK_BYTES);
      received += chunk.length;
      onChunk(received);
      if (!socket.destroyed) wantsMore = push.call(socket, chunk);
    }
    return wantsMore;
  };
}

/**
 * `at`: time of the headers, by performance.now(), if the latency ends there. `waited_ms`: wait for memory, not part of
 * the latency. `valid_to`: expiry of the certificate, epoch ms.
 */
export type HttpResponse = {
  status: number;
  headers: IncomingMessage['headers'];
  body?: ResponseBody;
  at?: number;
  waited_ms?: number;
  valid_to?: number;
};

const MAX_INTERIM = 50;
/** Maximum bytes beyond twice the body: headers, chunk sizes, trailers. */
const MAX_OVERHEAD_BYTES = 64 * 1024;

const EXCERPT_WAIT_MS = 1_000;

type SendOptions = {
  deadline: RequestTimeout;
  /** Returns the part of the body to read for a final status; undefined for none. */
  onStatus: (status: number) => BodyOptions | undefined;
  waitForMemory?: () => Promise<void>;
};

export function send(
  socket: Socket,
  hop: Hop,
  where: string,
  { deadline, onStatus, waitForMemory }: SendOptions,
): Promise<HttpResponse> {
  return new Promise((resolve, reject) => {
    let response: IncomingMessage | undefined;
    let body: ResponseBody | undefined;
    let interim = 0;
    /** Set if the headers suffice: resolves with the data so far. */
    let finishEarly: (() => void) | undefined;
    const fail = (error: Error) => {
      if (finishEarly) return finishEarly();
      // Errors after a complete response are ignored: `res.push(null)` ends it.
      if (!response?.complete) reject(exchangeError(error, where, response !== undefined));
    };
    // Destroys the socket at once, so that received data is not parsed.
    const finish = (result: HttpResponse) => {
      resolve(result);
      socket.destroy();
    };
    const abort = (why: string) => {
      if (socket.destroyed) return;
      if (finishEarly) return finishEarly();
      reject(new NetError('connect', `${where} ${why}`, { answered: true }));
      socket.destroy();
    };
    let waited_ms: number | undefined;
    /** Pauses reading until memory is free; the peer buffers the rest. */
    const pauseForMemory = async (waitForMemory: () => Promise<void>) => {
      waited_ms = 0;
      const [since, { stage }] = [performance.now(), deadline];
      deadline.stage = `received ${MAX_SMALL_BYTES} bytes of the body from ${where}, waiting for memory to receive more`;
      socket.pause();
      await waitForMemory();
      socket.resume();
      deadline.stage = stage;
      waited_ms = performance.now() - since;
    };
    inSmallChunks(socket, (bytes) => {
      if (bytes > MAX_OVERHEAD_BYTES + 2 * (body?.size ?? 0))
        abort('sends more headers, chunk sizes or trailers than content');
    });
    const req = start(socket, hop);
    req.on('error', fail);
    req.on('information', () => {
      if (++interim > MAX_INTERIM) abort(`sent more than ${MAX_INTERIM} interim responses (1xx) and no final one`);
    });
    // A 101 without a requested upgrade is treated as a final response.
    req.on('upgrade', ({ statusCode, headers }) => finish({ status: statusCode ?? 0, headers }));
    req.on('response', (res) => {
      response = res;
      deadline.stage = `received the headers from ${where}, waiting for the rest of the body`;
      const status = res.statusCode ?? 0;
      const { headers } = res;
      const options = onStatus(status);
      if (!options) return finish({ status, headers });
      const received = new ResponseBody(options, headers['content-type']);
      body = received;
      if (options.isExcerptOnly) {
        const at = performance.now();
        const timer = setTimeout(() => finishEarly?.(), Math.min(EXCERPT_WAIT_MS, deadline.left_ms / 2));
        finishEarly = () => {
          clearTimeout(timer);
          finish({ status, headers, body: received, at });
        };
      }
      const finishWhole =
        finishEarly ??
        (() => finish({ status, headers, body: received, ...(waited_ms !== undefined && { waited_ms }) }));
      res.on('error', fail);
      // Bypasses the stream, which would queue each chunk as an object.
      res.push = (piece: Buffer | null): boolean => {
        if (piece === null ? res.complete : received.take(piece)) finishWhole();
        else if (received.hasTinyPieces) {
          abort(
            `sends its body in pieces of less than ${MEAN_PIECE_BYTES} bytes on average: enable buffering in the server`,
          );
        } else if (waitForMemory && waited_ms === undefined && received.isLarge)
          pauseForMemory(waitForMemory).catch(reject);
        return true;
      };
    });
  });
}

function start(socket: Socket, { url, method, headers, body }: Hop): ClientRequest {
  const all: Record<string, string> = {
    host: url.host,
    'user-agent': `Fleetwatch/${VERSION}`,
    accept: '*/*',
    'accept-encoding': 'identity',
    connection: 'close',
  };
  const length = body !== undefined ? Buffer.byteLength(body) : BODY_METHODS.has(method) ? 0 : undefined;
  if (length !== undefined) all['content-length'] = String(length);
  for (const [name, value] of Object.entries(headers)) all[name.toLowerCase()] = value;
  let req: ClientRequest;
  try {
    req = httpRequest({
      // A complete flat list, so that node adds and copies nothing.
      headers: Object.entries(all).flat(),
      createConnection: () => socket,
      method,
      path: url.pathname + url.search,
    });
  } catch (error) {
    throw new NetError('connect', `the request cannot be sent: ${(error as Error).message}`, { answered: true });
  }
  req.end(body);
  return req;
}

/** Methods that send content-length: 0 if there is no body (RFC 9110, 8.6): many servers reject chunked encoding. */
const BODY_METHODS = new Set(['POST', 'PUT', 'PATCH']);
