import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { certificateProblem } from './connection.ts';
import { allowUrl } from './egress.ts';
import { type HttpResponse, send } from './http-send.ts';
import { type HttpReply, type HttpRequest, NetError } from './net.ts';
import { type Guard, openSocket, secure } from './open-socket.ts';
import { type Hop, isRedirect, redirected, shown } from './redirect.ts';
import { type RequestTimeout, withDeadline } from './request-timeout.ts';
import type { WantedBody } from './response-body.ts';

/** Is told the status of each response as soon as its headers are there. */
type OnStatus = (status: number) => void;

/** `Net.http`: see there. */
export async function http(guard: Guard, request: HttpRequest): Promise<HttpReply> {
  const started = performance.now();
  let last = 0;
  const heard: OnStatus = (status) => {
    last = status;
  };
  try {
    const answer = await withDeadline(request.timeout_ms, (deadline) => follow(guard, request, deadline, heard));
    const text = answer.body?.end() ?? '';
    return {
      status: answer.status,
      headers: joined(answer.headers),
      body: text,
      ...(request.reads_on &&
        answer.body?.isKept && { kept: { bytes: answer.body.size, goes_on: answer.body.goesOn } }),
      ...(answer.body?.isSearched && { search: { found: answer.body.found, bytes: answer.body.size } }),
      ...(answer.body?.excerpt !== undefined && { excerpt: { text: answer.body.excerpt, bytes: answer.body.size } }),
      ...(answer.valid_to !== undefined && { valid_to: answer.valid_to }),
      latency_ms: Math.round((answer.at ?? performance.now()) - started - (answer.waited_ms ?? 0)),
    };
  } catch (error) {
    if (error instanceof NetError) error.status = last;
    throw error;
  }
}

async function follow(
  guard: Guard,
  request: HttpRequest,
  deadline: RequestTimeout,
  heard: OnStatus,
): Promise<HttpResponse> {
  const url = URL.parse(request.url);
  if (!url) throw new NetError('egress', 'refused: the URL is not an absolute one, such as https://example.com/');
  let hop: Hop = { url, method: request.method, headers: request.headers ?? {}, body: request.body };
  const seen = new Set<string>();
  for (;;) {
    const answer = await exchange(guard, request, hop, deadline, heard).catch((error: unknown) => {
      throw seen.size > 0 ? ofRedirect(error, hop.url) : error;
    });
    const next = request.max_redirects > 0 ? redirected(hop, answer) : undefined;
    if (!next) return answer;
    seen.add(`${hop.method} ${hop.url.href}`);
    if (seen.has(`${next.method} ${next.url.href}`)) {
      throw new NetError('redirect', `redirect loop: ${shown(next.url)} was asked before`, { answered: true });
    }
    if (seen.size > request.max_redirects) {
      const message = `more than ${request.max_redirects} redirects, the last to ${shown(next.url)}`;
      throw new NetError('redirect', message, { answered: true });
    }
    hop = next;
  }
}

/** A refusal names the URL that a person has never seen. */
const ofRedirect = (error: unknown, url: URL): unknown =>
  error instanceof NetError && error.kind === 'egress'
    ? new NetError('egress', `redirected to ${shown(url)}, which is ${error.message}`, { answered: true, cause: error })
    : error;

/** One request on a connection of its own. */
async function exchange(
  guard: Guard,
  request: HttpRequest,
  hop: Hop,
  deadline: RequestTimeout,
  heard: OnStatus,
): Promise<HttpResponse> {
  const { url } = hop;
  const verdict = allowUrl(url, request.egress, guard.allow);
  const tls = url.protocol === 'https:';
  const open = await openSocket(guard, verdict, Number(url.port) || (tls ? 443 : 80), request.egress, deadline);
  let socket: Socket = open.socket;
  let certificate: { valid_to: number } | undefined;
  if (tls && verdict.ok) {
    const secured = await secure(open, verdict, deadline, ['http/1.1']);
    socket = secured;
    if (request.reads_certificate) certificate = { valid_to: Date.parse(secured.getPeerCertificate().valid_to) };
    if (request.verify_tls !== false && !secured.authorized) {
      const problem = certificateProblem(secured, verdict.host, Date.now());
      throw new NetError('tls', problem || 'the certificate is not trusted', { answered: true });
    }
  }
  deadline.stage = `connected to ${open.where}, waiting for the response`;
  const { room } = request;
  const answer = await send(socket, hop, open.where, {
    deadline,
    ...(room && { room }),
    onStatus: (status) => {
      heard(status);
      return request.max_redirects > 0 && isRedirect(status) ? undefined : wantedOf(request, status);
    },
  });
  return { ...answer, ...certificate };
}

/** So much of a body is counted that is only to be shown. */
const SHOWN_BYTES = 1024 * 1024;

/** What to read of a response with that status; undefined: nothing. */
function wantedOf(
  { max_body_bytes: limit, reads_on: readsOn = false, find, excerpt_bytes: excerpt }: HttpRequest,
  status: number,
): WantedBody | undefined {
  const show: Pick<WantedBody, 'excerpt'> = excerpt === undefined ? {} : { excerpt };
  const isWanted = limit > 0 && (find?.status === undefined || find.status === status);
  if (isWanted) return { limit, readsOn, ...(find && { find: find.texts }), ...show };
  return excerpt === undefined ? undefined : { limit: SHOWN_BYTES, excerpt, isOnlyShown: true };
}

function joined(headers: IncomingMessage['headers']): Record<string, string> {
  const plain: Record<string, string> = {};
  for (const name in headers) {
    const value = headers[name];
    if (value !== undefined) plain[name] = typeof value === 'string' ? value : value.join(', ');
  }
  return plain;
}
