import { randomUUID } from 'node:crypto';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { HTTPS_HEADERS } from '#infra/headers.ts';
import { type Handler, invoke, TimedOut } from '#infra/local/invoke.ts';
import { type FunctionName, functions } from '#infra/topology.ts';
import { createServer } from '#lib/net/node-http.ts';
import { AppError, asAppError, errorBody, invalid } from '#lib/platform/errors.ts';
import { API_HEADERS, type ApiEvent, type ApiResult } from '#lib/platform/http/api-event.ts';
import type { Log } from '#lib/platform/ports.ts';
import { loggedPath } from '#lib/results/pings/ping-endpoint.ts';
import { bodyReader, bodyRoom, drainBody, hasNoBody } from './body-reader.ts';
import { BOUNDS, type Bounds } from './bounds.ts';
import { cameByTls, clientAddress, type TrustedProxies, trustedProxies } from './client-address.ts';
import { boundConnections } from './connections.ts';
import { type Allowed, addCors, corsOf, isPreflight, preflight } from './cors.ts';
import { functionFor } from './match-route.ts';
import { eventOf, hasValidHost } from './request-event.ts';
import { requestTurns } from './request-permits.ts';
import { streamOut } from './stream-out.ts';
import { boundUnsent } from './unsent-responses.ts';

export type Gateway = {
  /** Resolves with the port; rejects when it is in use. */
  listen(host: string, port: number): Promise<number>;
  /** Takes no request any more, and resolves when those in hand are answered. */
  stop(): Promise<void>;
  /** Cuts every connection that is still open. */
  cut(): void;
};

type GatewayOptions = {
  /** Which pages may read an answer. */
  settings: Allowed;
  log: Log;
  proxies?: TrustedProxies;
  bounds?: Bounds;
};

/**
 * The gateway of one machine: node:http in front of the functions, requests as API Gateway hands them over (payload
 * format 2.0), routes by the topology, CORS by ALLOWED_ORIGINS. It sets no limit to a body, as API Gateway does
 * (10 MB): a body is read when the gates of a function have let its request in, and as far as they want it. What is not
 * HTTP, or does not arrive in time, node answers by itself, without a body, and closes the connection.
 */
export function makeGateway(
  handlers: Partial<Record<FunctionName, Handler>>,
  { settings, log, proxies = trustedProxies([]), bounds = BOUNDS }: GatewayOptions,
): Gateway {
  const own = {
    joinDuplicateHeaders: true,
    keepAliveTimeout: bounds.idle_ms,
    headersTimeout: bounds.headers_ms,
    requestTimeout: bounds.request_ms,
    connectionsCheckingInterval: Math.min(5000, bounds.headers_ms),
  };
  const server = createServer(own, onRequest);
  boundConnections(server, proxies, bounds);
  const room = bodyRoom(bounds);
  const noteUnsent = boundUnsent(bounds);
  const inTurn = requestTurns();
  let inHand = 0;
  let stopping = false;
  /** Of the functions whose answers stream now. */
  const streams = new Set<AbortController>();
  let drained = () => {};

  function onRequest(request: IncomingMessage, response: ServerResponse): void {
    inHand++;
    // Comes once, whether it was answered or the client went away.
    response.on('close', () => {
      inHand--;
      if (inHand === 0) drained();
    });
    response.on('error', (error) => log.warn('an answer could not be sent', { error }));
    // The client is gone: there is nobody to answer.
    request.on('error', () => {});
    if (!hasValidHost(request)) {
      refuse(request, response, invalid('host', 'is not a host, such as example.com:8787'));
    } else if (isPreflight(request)) {
      const headers = { 'x-request-id': randomUUID(), ...preflight(request, settings) };
      send(response, { statusCode: 204, headers, body: '' });
    } else {
      const address = clientAddress(request, proxies);
      inTurn(address, () => void answer(request, response, address));
    }
  }

  async function answer(request: IncomingMessage, response: ServerResponse, address: string): Promise<void> {
    const readBody = hasNoBody(request) ? undefined : bodyReader(request, address, room, bounds);
    const event = eventOf(request, address, readBody);
    const name = functionFor(event.requestContext.http.method, event.rawPath);
    const handler = name && handlers[name];
    if (!name || !handler) {
      refuse(request, response, new AppError('NOT_FOUND', `There is no ${event.rawPath}.`));
      return;
    }
    const requestId = event.requestContext.requestId;
    try {
      if (functions[name].streams) {
        const reply = await invoke<ApiEvent, Response>(name, handler, event, streamOf(response));
        const more = { 'x-request-id': requestId, ...byTls(request), ...corsOf(request, settings) };
        if (!request.complete) void forgetOrCut(request);
        response.socket?.setTimeout(bounds.stream_stall_ms);
        await streamOut(response, reply, more, functions[name].timeout_seconds * 1000);
        return;
      }
      const result = await invoke<ApiEvent, ApiResult>(name, handler, event);
      addCors(result.headers, request, settings);
      result.headers['x-request-id'] ??= requestId;
      send(response, result);
    } catch (error) {
      log.error('a function failed', { function: name, request_id: requestId, path: loggedPath(event.rawPath), error });
      refuse(request, response, error instanceof TimedOut ? tooLong() : asAppError(error), requestId);
    }
  }

  /**
   * Aborts when the gateway stops, when the answer is out, or when the client is gone before. One controller for all of
   * these: AbortSignal.any of node 24 loses an abort whose source was collected (nodejs/node#65995).
   */
  function streamOf(response: ServerResponse): AbortController {
    const stream = new AbortController();
    streams.add(stream);
    response.on('close', () => {
      streams.delete(stream);
      stream.abort();
    });
    if (stopping) stream.abort();
    return stream;
  }

  /** What still comes of a body is forgotten, and a connection on which it never ends is cut. */
  async function forgetOrCut(request: IncomingMessage): Promise<void> {
    await drainBody(request, bounds);
    if (!request.complete) request.destroy();
  }

  /** An answer of the gateway's own, in the form of every other error. */
  function refuse(
    request: IncomingMessage,
    response: ServerResponse,
    error: AppError,
    requestId: string = randomUUID(),
  ): void {
    send(response, {
      statusCode: error.status,
      headers: {
        'content-type': 'application/json; charset=utf-8',
        'x-request-id': requestId,
        ...API_HEADERS,
        ...error.headers,
        ...corsOf(request, settings),
      },
      body: JSON.stringify(errorBody(error, requestId)),
    });
  }

  const byTls = (request: IncomingMessage) => (cameByTls(request, proxies) ? HTTPS_HEADERS : {});

  function send(response: ServerResponse, { statusCode, headers, cookies, body, isBase64Encoded }: ApiResult): void {
    if (response.destroyed || response.headersSent) return;
    Object.assign(headers, byTls(response.req));
    if (stopping) headers.connection = 'close';
    const sent = isBase64Encoded ? Buffer.from(body, 'base64') : body;
    const bytes = Buffer.byteLength(sent);
    // Of a 304 it would be the length of what is not sent.
    if (statusCode !== 204 && statusCode !== 304) headers['content-length'] = String(bytes);
    const go = () => {
      if (response.destroyed) return;
      noteUnsent(response, clientAddress(response.req, proxies), bytes);
      // Cut when its reader takes nothing for so long; between requests node sets the time of an idle connection.
      response.socket?.setTimeout(bounds.stall_ms);
      response.writeHead(statusCode, cookies ? { ...headers, 'set-cookie': cookies } : headers).end(sent);
    };
    const rest = response.req.complete ? undefined : forgetOrCut(response.req);
    // Where the connection ends with the answer, what is still unread would make the system drop it.
    if (rest && !response.shouldKeepAlive) void rest.then(go);
    else go();
  }

  return {
    listen: (host, port) => listen(server, host, port),
    stop: () => {
      // Streams end at this, as soon as they owe nothing.
      stopping = true;
      for (const stream of streams) stream.abort();
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

const tooLong = () => new AppError('UNAVAILABLE', 'It took too long. Try again.', { headers: { 'retry-after': '1' } });

function listen(server: Server, host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve((server.address() as { port: number }).port);
    });
  });
}
