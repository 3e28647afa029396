import { isUtf8 } from 'node:buffer';
import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { type FunctionName, functions } from '#infra/topology.ts';
import type { ApiEvent, ApiResult } from '#lib/platform/api-event.ts';
import type { ErrorCode } from '#lib/platform/errors.ts';
import { STATUS_OF } from '#lib/platform/errors.ts';
import type { Log } from '#lib/platform/ports.ts';
import { corsOf, isPreflight, preflight } from './cors.ts';
import { type Handler, invoke, TimedOut } from './invoke.ts';
import { functionFor } from './match-route.ts';
import { streamOut } from './stream-out.ts';

export type Gateway = {
  /** Resolves with the port; rejects when it is in use. */
  listen(host: string, port: number): Promise<number>;
  /** Takes no request any more, and resolves when those in hand are answered. */
  stop(): Promise<void>;
  /** Cuts every connection that is still open. */
  cut(): void;
};

/** As API Gateway: the functions have smaller limits of their own. */
const LARGEST_BODY = 10 * 1024 * 1024;
/** A client that goes on sending behind its 413 is read so far, so that it can see the answer, and then cut off. */
const PATIENCE = 4 * LARGEST_BODY;

/**
 * The gateway of one machine: node:http in front of the functions, requests as API Gateway hands them over (payload
 * format 2.0), routes by the topology, CORS by ALLOWED_ORIGINS.
 */
export function makeGateway(
  handlers: Partial<Record<FunctionName, Handler>>,
  { origins, log }: { origins: readonly string[]; log: Log },
): Gateway {
  const server = createServer({ joinDuplicateHeaders: true, keepAliveTimeout: 72_000 }, onRequest);
  server.on('clientError', onClientError);
  let inHand = 0;
  const stopping = new AbortController();
  let drained = () => {};

  function onRequest(request: IncomingMessage, response: ServerResponse): void {
    inHand++;
    // Comes once, whether it was answered or the client went away.
    response.on('close', () => {
      inHand--;
      if (inHand === 0) drained();
    });
    response.on('error', (error) => log.warn('an answer could not be sent', { error }));
    if (isPreflight(request)) {
      send(response, { statusCode: 204, headers: preflight(request.headers.origin!, origins), body: '' });
      return;
    }
    if (hasNoBody(request)) void answer(request, response, undefined);
    else readBody(request, response);
  }

  function readBody(request: IncomingMessage, response: ServerResponse): void {
    let chunks: Buffer[] = [];
    let bytes = 0;
    const tooLarge = () => {
      chunks = [];
      refuse(request, response, 'PAYLOAD_TOO_LARGE', 'The body has more than 10 MB.');
    };
    if (Number(request.headers['content-length']) > LARGEST_BODY) tooLarge();
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > PATIENCE) request.destroy();
      else if (bytes > LARGEST_BODY && !response.headersSent) tooLarge();
      else if (!response.headersSent) chunks.push(chunk);
    });
    request.on('end', () => {
      if (!response.headersSent)
        void answer(request, response, chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks));
    });
    // The client is gone: there is nobody to answer.
    request.on('error', () => {});
  }

  async function answer(request: IncomingMessage, response: ServerResponse, body: Buffer | undefined): Promise<void> {
    const event = eventOf(request, body);
    const name = functionFor(event.requestContext.http.method, event.rawPath);
    const handler = name && handlers[name];
    if (!name || !handler) {
      refuse(request, response, 'NOT_FOUND', `There is no ${event.rawPath}.`);
      return;
    }
    const requestId = event.requestContext.requestId;
    const { origin } = request.headers;
    try {
      if (functions[name].streams) {
        const signal = AbortSignal.any([stopping.signal, closing(response)]);
        const reply = await invoke<ApiEvent, Response>(name, handler, event, signal);
        const more = { 'x-request-id': requestId, ...(origin !== undefined && corsOf(origin, origins)) };
        await streamOut(response, reply, more, functions[name].timeout_seconds * 1000);
        return;
      }
      const result = await invoke<ApiEvent, ApiResult>(name, handler, event);
      if (origin !== undefined) Object.assign(result.headers, corsOf(origin, origins));
      result.headers['x-request-id'] ??= requestId;
      send(response, result);
    } catch (error) {
      log.error('a function failed', { function: name, request_id: requestId, path: event.rawPath, error });
      if (error instanceof TimedOut)
        refuse(request, response, 'UNAVAILABLE', 'It took too long. Try again.', requestId);
      else refuse(request, response, 'INTERNAL', 'A fault of ours. It was logged.', requestId);
    }
  }

  /** An answer of the gateway's own, in the form of every other error. */
  function refuse(
    request: IncomingMessage,
    response: ServerResponse,
    code: ErrorCode,
    error: string,
    requestId: string = randomUUID(),
  ): void {
    const { origin } = request.headers;
    send(response, {
      statusCode: STATUS_OF[code],
      headers: {
        'content-type': 'application/json; charset=utf-8',
        'x-request-id': requestId,
        ...(code === 'UNAVAILABLE' && { 'retry-after': '1' }),
        ...(origin !== undefined && corsOf(origin, origins)),
      },
      body: JSON.stringify({ error, code, ...(code === 'INTERNAL' && { request_id: requestId }) }),
    });
  }

  function send(response: ServerResponse, { statusCode, headers, body }: ApiResult): void {
    if (response.destroyed || response.headersSent) return;
    if (stopping.signal.aborted) headers.connection = 'close';
    if (statusCode !== 204) headers['content-length'] = String(Buffer.byteLength(body));
    response.writeHead(statusCode, headers).end(body);
  }

  return {
    listen: (host, port) => listen(server, host, port),
    stop: () => {
      // Streams end at this, as soon as they owe nothing.
      stopping.abort();
      // Not for the end of every connection: one that never asked anything would keep it open.
      server.close();
      return new Promise((resolve) => {
        drained = resolve;
        if (inHand === 0) resolve();
      });
    },
    cut: () => server.closeAllConnections(),
  };
}

function eventOf(request: IncomingMessage, body: Buffer | undefined): ApiEvent {
  const target = targetOf(request.url!);
  const mark = target.indexOf('?');
  const path = mark < 0 ? target : target.slice(0, mark);
  const isText = body === undefined || isUtf8(body);
  const { host } = request.headers;
  return {
    rawPath: path,
    rawQueryString: mark < 0 ? '' : target.slice(mark + 1),
    headers: request.headers as ApiEvent['headers'],
    body: body?.toString(isText ? 'utf8' : 'base64'),
    isBase64Encoded: !isText,
    requestContext: {
      requestId: randomUUID(),
      ...(host !== undefined && { domainName: host }),
      http: { method: request.method!, path, sourceIp: request.socket.remoteAddress ?? '' },
    },
  };
}

/** Path and query of a request line, also when it names the whole address (as to a proxy) or nothing (`*`). */
function targetOf(url: string): string {
  if (url.startsWith('/')) return url;
  const rest = /^https?:\/\/[^/?]*(.*)$/i.exec(url)?.[1];
  return rest?.startsWith('/') ? rest : `/${rest ?? ''}`;
}

/** Aborts when the answer is out, or the client is gone before. */
function closing(response: ServerResponse): AbortSignal {
  const controller = new AbortController();
  response.on('close', () => controller.abort());
  return controller.signal;
}

const hasNoBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] === undefined && (headers['content-length'] ?? '0') === '0';

function listen(server: Server, host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve((server.address() as { port: number }).port);
    });
  });
}

const STATUS_LINE: Record<string, string> = {
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
};

/** What is not HTTP gets one readable answer, and the connection ends. */
function onClientError(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (!socket.writable || error.code === 'ECONNRESET') {
    socket.destroy();
    return;
  }
  const body = JSON.stringify({ error: `The request is not valid HTTP: ${error.message}.`, code: 'VALIDATION_ERROR' });
  socket.end(
    `HTTP/1.1 ${STATUS_LINE[error.code ?? ''] ?? '400 Bad Request'}\r\nconnection: close\r\n` +
      `content-type: application/json; charset=utf-8\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
}
