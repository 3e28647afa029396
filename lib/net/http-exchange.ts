import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { certificateProblem } from './connection.ts';
import { allowUrl } from './egress.ts';
import { type HttpResponse, send } from './http-send.ts';
import { type HttpReply, type HttpRequest, NetError } from './net.ts';
import { type Guard, openSocket, tlsHandshake } from './open-socket.ts';
import { type Hop, isRedirect, redirected, withoutQuery } from './redirect.ts';
import { type RequestTimeout, withDeadline } from './request-timeout.ts';
import type { BodyOptions } from './response-body.ts';

type OnStatus = (status: number) => void;

/** Implements `Net.http`. */
export async function http(guard: Guard, request: HttpRequest): Promise<HttpReply> {
  const started = performance.now();
  let lastStatus = 0;
  const onStatus: OnStatus = (status) => {
    lastStatus = status;
  };
  try {
    const response = await withDeadline(request.timeout_ms, (deadline) => follow(guard, request, deadline, onStatus));
    const text = response.body?.end() ?? '';
    return {
      status: response.status,
      headers: joinHeaders(response.headers),
      body: text,
      ...(request.reads_on &&
        response.body?.isKept && { kept: { bytes: response.body.size, goes_on: response.body.goesOn } }),
      ...(response.body?.isSearched && { search: { found: response.body.found, bytes: response.body.size } }),
      ...(response.body?.excerpt !== undefined && {
        excerpt: { text: response.body.excerpt, bytes: response.body.size },
      }),
      ...(response.valid_to !== undefined && { valid_to: response.valid_to }),
      latency_ms: Math.round((response.at ?? performance.now()) - started - (response.waited_ms ?? 0)),
    };
  } catch (error) {
    if (error instanceof NetError) error.status = lastStatus;
    throw error;
  }
}

async function follow(
  guard: Guard,
  request: HttpRequest,
  deadline: RequestTimeout,
  onStatus: OnStatus,
): Promise<HttpResponse> {
  const url = URL.parse(request.url);
  if (!url) throw new NetError('egress', 'refused: the URL is not a valid absolute URL, such as https://example.com/');
  let hop: Hop = { url, method: request.method, headers: request.headers ?? {}, body: request.body };
  const seen = new Set<string>();
  for (;;) {
    const response = await exchange(guard, request, hop, deadline, onStatus).catch((error: unknown) => {
      throw seen.size > 0 ? redirectError(error, hop.url) : error;
    });
    const next = request.max_redirects > 0 ? redirected(hop, response) : undefined;
    if (!next) return response;
    seen.add(`${hop.method} ${hop.url.href}`);
    if (seen.has(`${next.method} ${next.url.href}`)) {
      throw new NetError('redirect', `redirect loop: ${withoutQuery(next.url)} was requested before`, {
        answered: true,
      });
    }
    if (seen.size > request.max_redirects) {
      const message = `more than ${request.max_redirects} redirects, the last to ${withoutQuery(next.url)}`;
      throw new NetError('redirect', message, { answered: true });
    }
    hop = next;
  }
}

/** Adds the redirect URL to an egress error, because the user has not entered that URL. */
const redirectError = (error: unknown, url: URL): unknown =>
  error instanceof NetError && error.kind === 'egress'
    ? new NetError('egress', `redirected to ${withoutQuery(url)}, which is ${error.message}`, {
        answered: true,
        cause: error,
      })
    : error;

async function exchange(
  guard: Guard,
  request: HttpRequest,
  hop: Hop,
  deadline: RequestTimeout,
  onStatus: OnStatus,
): Promise<HttpResponse> {
  const { url } = hop;
  const decision = allowUrl(url, request.egress, guard.allow);
  const tls = url.protocol === 'https:';
  const open = await openSocket(guard, decision, Number(url.port) || (tls ? 443 : 80), request.egress, deadline);
  let socket: Socket = open.socket;
  let certificate: { valid_to: number } | undefined;
  if (tls && decision.ok) {
    const secured = await tlsHandshake(open, decision, deadline, ['http/1.1']);
    socket = secured;
    if (request.reads_certificate) certificate = { valid_to: Date.parse(secured.getPeerCertificate().valid_to) };
    if (request.verify_tls !== false && !secured.authorized) {
      const problem = certificateProblem(secured, decision.host, Date.now());
      throw new NetError('tls', problem || 'the certificate is not trusted', { answered: true });
    }
  }
  deadline.stage = `connected to ${open.where}, waiting for the response`;
  const { waitForMemory } = request;
  const response = await send(socket, hop, open.where, {
    deadline,
    ...(waitForMemory && { waitForMemory }),
    onStatus: (status) => {
      onStatus(status);
      return request.max_redirects > 0 && isRedirect(status) ? undefined : bodyOptionsOf(request, status);
    },
  });
  return { ...response, ...certificate };
}

const MAX_EXCERPT_ONLY_BYTES = 1024 * 1024;

function bodyOptionsOf(
  { max_body_bytes: limit, reads_on: readsOn = false, find, excerpt_bytes: excerpt }: HttpRequest,
  status: number,
): BodyOptions | undefined {
  const show: Pick<BodyOptions, 'excerpt'> = excerpt === undefined ? {} : { excerpt };
  const isWanted = limit > 0 && (find?.status === undefined || find.status === status);
  if (isWanted) return { limit, readsOn, ...(find && { find: find.texts }), ...show };
  return excerpt === undefined ? undefined : { limit: MAX_EXCERPT_ONLY_BYTES, excerpt, isExcerptOnly: true };
}

function joinHeaders(headers: IncomingMessage['headers']): Record<string, string> {
  const plain: Record<string, string> = {};
  for (const name in headers) {
    const value = headers[name];
    if (value !== undefined) plain[name] = typeof value === 'string' ? value : value.join(', ');
  }
  return plain;
}
