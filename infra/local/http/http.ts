import { randomUUID } from 'node:crypto';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { HTTPS_HEADERS } from '#infra/headers.ts';
import { type Handler, invoke, TimedOut } from '#infra/local/invoke.ts';
import { type LoopTurns, loopTurns } from '#infra/local/loop-turns.ts';
import { type FunctionName, functions } from '#infra/topology.ts';
import { LINK_PATH } from '#lib/alerting/notify/alert-links.ts';
import { CALENDAR_PATH } from '#lib/alerting/policy/rotas.ts';
import { createServer } from '#lib/net/node-http.ts';
import { AppError, asAppError, errorBody, invalid } from '#lib/platform/errors.ts';
import { API_HEADERS, type ApiEvent, type ApiResult } from '#lib/platform/http/api-event.ts';
import type { Log, Metrics } from '#lib/platform/ports.ts';
import { networkOf } from '#lib/platform/sharing/memory-limiter.ts';
import { BADGE_PATH } from '#lib/public/badges/badge.ts';
import { STATUS_PATH } from '#lib/public/pages/render.ts';
import { PING_PATH } from '#lib/results/pings/ping-endpoint.ts';
import type { Settings } from '#lib/settings.ts';
import { bodyReader, bodyRoom, drainBody, hasNoBody } from './body-reader.ts';
import { BOUNDS, type Bounds } from './bounds.ts';
import { clientAddress, clientUsedTls, type TrustedProxies, trustedProxies } from './client-address.ts';
import { boundConnections } from './connections.ts';
import { addCors, corsOf, isPreflight, type OriginSettings, preflight } from './cors.ts';
import { functionFor } from './match-route.ts';
import { eventOf, hasValidHost, statusDomainOf } from './request-event.ts';
import { streamOut } from './stream-out.ts';
import { boundUnsent } from './unsent-responses.ts';

export type Gateway = {
  /** Resolves with the port; rejects if it is in use. */
  listen(host: string, port: number): Promise<number>;
  /** Accepts no new request, and resolves when those in flight have a response. */
  stop(): Promise<void>;
  /** Closes all connections. */
  cut(): void;
};

type GatewayOptions = {
  /** Origins whose pages may read a response, and domains that serve only a status page. */
  settings: OriginSettings & Pick<Settings, 'STATUS_DOMAINS'>;
  log: Log;
  proxies?: TrustedProxies;
  bounds?: Bounds;
  inTurn?: LoopTurns;
  metrics?: Metrics;
};

/** Creates a gateway like API Gateway (payload format 2.0), but without its body limit: functions limit bodies. */
export function makeGateway(
  handlers: Partial<Record<FunctionName, Handler>>,
  { settings, log, proxies = trustedProxies([]), bounds = BOUNDS, inTurn = loopTurns(), metrics }: GatewayOptions,
): Gateway {
  const options = {
    joinDuplicateHeaders: true,
    keepAliveTimeout: bounds.idle_ms,
    headersTimeout: bounds.headers_ms,
    requestTimeout: bounds.request_ms,
    connectionsCheckingInterval: Math.min(5000, bounds.headers_ms),
  };
  const server = createServer(options, onRequest);
  boundConnections(server, proxies, bounds);
  const room = bodyRoom(bounds);
  const noteUnsent = boundUnsent(bounds);
  let inFlight = 0;
  let stopping = false;
  const streams = new Set<AbortController>();
  let drained = () => {};

  function onRequest(request: IncomingMessage, response: ServerResponse): void {
    inFlight++;
    // Emitted once, after the response or when the client disconnects.
    response.on('close', () => {
      inFlight--;
      if (response.headersSent) metrics?.tally?.('requests', `${Math.floor(response.statusCode / 100)}xx`);
      if (inFlight === 0) drained();
    });
    response.on('error', (error) => log.warn('response not sent', { error }));
    // The client has disconnected.
    request.on('error', () => {});
    if (!hasValidHost(request)) {
      reject(request, response, invalid('host', 'is not a host, such as example.com:8787'));
    } else if (isPreflight(request)) {
      const headers = { 'x-request-id': randomUUID(), ...preflight(request, settings) };
      send(response, { statusCode: 204, headers, body: '' });
    } else {
      const address = clientAddress(request, proxies);
      inTurn(networkOf(address), () => void handle(request, response, address));
    }
  }

  async function handle(request: IncomingMessage, response: ServerResponse, address: string): Promise<void> {
    const readBody = hasNoBody(request) ? undefined : bodyReader(request, address, room, bounds);
    const event = eventOf(request, address, readBody);
    const domain = statusDomainOf(request, settings.STATUS_DOMAINS);
    // A request to a status domain reaches only the function `public`.
    if (domain !== undefined) event.rawPath = `/${STATUS_PATH}/${domain}${event.rawPath}`;
    const name = functionFor(event.requestContext.http.method, event.rawPath);
    const handler = name && handlers[name];
    if (!name || !handler) {
      reject(request, response, new AppError('NOT_FOUND', `${event.rawPath} does not exist.`));
      return;
    }
    const requestId = event.requestContext.requestId;
    try {
      if (functions[name].streams) {
        const reply = await invoke<ApiEvent, Response>(name, handler, event, controllerOf(response));
        const more = { 'x-request-id': requestId, ...httpsHeaders(request), ...corsOf(request, settings) };
        if (!request.complete) void discardOrCut(request);
        response.socket?.setTimeout(bounds.stream_stall_ms);
        await streamOut(response, reply, more, functions[name].timeout_seconds * 1000);
        return;
      }
      const result = await invoke<ApiEvent, ApiResult>(name, handler, event);
      addCors(result.headers, request, settings);
      result.headers['x-request-id'] ??= requestId;
      send(response, result);
    } catch (error) {
      log.error('function failed', { function: name, request_id: requestId, path: loggedPath(event.rawPath), error });
      reject(request, response, error instanceof TimedOut ? tooLong() : asAppError(error), requestId);
    }
  }

  /**
   * Returns a controller that aborts when the gateway stops, the response ends or the client disconnects. It does not
   * use AbortSignal.any, which loses aborts (nodejs/node#65995).
   */
  function controllerOf(response: ServerResponse): AbortController {
    const stream = new AbortController();
    streams.add(stream);
    response.on('close', () => {
      streams.delete(stream);
      stream.abort();
    });
    if (stopping) stream.abort();
    return stream;
  }

  async function discardOrCut(request: IncomingMessage): Promise<void> {
    await drainBody(request, bounds);
    if (!request.complete) request.destroy();
  }

  function reject(
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

  const httpsHeaders = (request: IncomingMessage) => (clientUsedTls(request, proxies) ? HTTPS_HEADERS : {});

  function send(response: ServerResponse, { statusCode, headers, cookies, body, isBase64Encoded }: ApiResult): void {
    if (response.destroyed || response.headersSent) return;
    Object.assign(headers, httpsHeaders(response.req));
    if (stopping) headers.connection = 'close';
    const sent = isBase64Encoded ? Buffer.from(body, 'base64') : body;
    const bytes = Buffer.byteLength(sent);
    // In a 304, this header would state the length of the omitted body.
    if (statusCode !== 204 && statusCode !== 304) headers['content-length'] = String(bytes);
    const go = () => {
      if (response.destroyed) return;
      noteUnsent(response, clientAddress(response.req, proxies), bytes);
      // Timeout of a stalled reader; between requests node applies the idle timeout.
      response.socket?.setTimeout(bounds.stall_ms);
      response.writeHead(statusCode, cookies ? { ...headers, 'set-cookie': cookies } : headers).end(sent);
    };
    const rest = response.req.complete ? undefined : discardOrCut(response.req);
    // If the connection closes after the response, unread request data would make the system drop the response.
    if (rest && !response.shouldKeepAlive) void rest.then(go);
    else go();
  }

  return {
    listen: (host, port) => listen(server, host, port),
    stop: () => {
      // Aborted streams first send their pending replies.
      stopping = true;
      for (const stream of streams) stream.abort();
      // Not awaited, because an idle connection would keep the server open.
      server.close();
      return new Promise((resolve) => {
        drained = resolve;
        if (inFlight === 0) resolve();
      });
    },
    cut: () => server.closeAllConnections(),
  };
}

/** Returns a path for the log, without its secret. */
function loggedPath(path: string): string {
  const prefix = [PING_PATH, LINK_PATH, CALENDAR_PATH, BADGE_PATH, `/${STATUS_PATH}/`].find((one) =>
    path.startsWith(one),
  );
  return prefix === undefined ? path : `${prefix}…`;
}

const tooLong = () =>
  new AppError('UNAVAILABLE', 'The request timed out. Try again.', { headers: { 'retry-after': '1' } });

function listen(server: Server, host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve((server.address() as { port: number }).port);
    });
  });
}
