import type { ClientRequest, IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { VERSION } from '#lib/platform/version.ts';
import { certificateProblem } from './certificate.ts';
import { allowUrl } from './egress.ts';
import { type HttpReply, type HttpRequest, NetError } from './net.ts';
import { exchangeError } from './net-errors.ts';
import { request as httpRequest } from './node-http.ts';
import { type Guard, openSocket, secure } from './open-socket.ts';
import { type Hop, isRedirect, redirected, shown } from './redirect.ts';
import { type RequestTimeout, withDeadline } from './request-timeout.ts';
import { MEAN_PIECE_BYTES, ResponseBody, type WantedBody } from './response-body.ts';
import { inSips } from './sips.ts';

/**
 * `body` is absent where none was to be read; `at`: when the headers came, where nothing else decided; `valid_to` is
 * that of the certificate, where it was asked for.
 */
type Answer = {
  status: number;
  headers: IncomingMessage['headers'];
  body?: ResponseBody;
  at?: number;
  valid_to?: number;
};

/** Is told the status of each response as soon as its headers are there. */
type Heard = (status: number) => void;

/** `Net.http`: see there. */
export async function http(guard: Guard, request: HttpRequest): Promise<HttpReply> {
  const started = performance.now();
  let last = 0;
  const heard: Heard = (status) => {
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
      latency_ms: Math.round((answer.at ?? performance.now()) - started),
    };
  } catch (error) {
    if (error instanceof NetError) error.status = last;
    throw error;
  }
}

async function follow(guard: Guard, request: HttpRequest, deadline: RequestTimeout, heard: Heard): Promise<Answer> {
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
  heard: Heard,
): Promise<Answer> {
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
  const answer = await send(socket, hop, open.where, deadline, (status) => {
    heard(status);
    return request.max_redirects > 0 && isRedirect(status) ? undefined : wantedOf(request, status);
  });
  return { ...answer, ...certificate };
}

/** So much of a body is counted, and for so long (ms) waited for, that is only to be shown. */
const SHOWN_BYTES = 1024 * 1024;
const SHOWN_MS = 1_000;

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

/** A response may be announced so many times (1xx) before it comes. */
const MOST_INTERIM = 50;
/** So many bytes may come beside the body, and once more as many as it has: headers, sizes of chunks, trailers. */
const MOST_BESIDE = 64 * 1024;

/** @param onStatus answers what to read of the body; undefined: nothing */
function send(
  socket: Socket,
  hop: Hop,
  where: string,
  deadline: RequestTimeout,
  onStatus: (status: number) => WantedBody | undefined,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    let response: IncomingMessage | undefined;
    let body: ResponseBody | undefined;
    let interim = 0;
    /** Ends with what is there: the headers have decided. */
    let enough: (() => void) | undefined;
    const fail = (error: Error) => {
      if (enough) return enough();
      // What follows a complete response is ignored; its end is still to be told.
      if (!response?.complete) reject(exchangeError(error, where, response !== undefined));
    };
    // At once, so that what has arrived already is not read any more.
    const done = (answer: Answer) => {
      resolve(answer);
      socket.destroy();
    };
    const refuse = (why: string) => {
      if (socket.destroyed) return;
      if (enough) return enough();
      reject(new NetError('connect', `${where} ${why}`, { answered: true }));
      socket.destroy();
    };
    inSips(socket, (bytes) => {
      if (bytes > MOST_BESIDE + 2 * (body?.size ?? 0))
        refuse('sends more headers, chunk sizes or trailers than content');
    });
    const req = start(socket, hop);
    req.on('error', fail);
    req.on('information', () => {
      if (++interim > MOST_INTERIM) refuse(`sent ${MOST_INTERIM} interim responses (1xx) and no final one`);
    });
    // A 101 to somebody who asked for no upgrade is an answer like any other.
    req.on('upgrade', ({ statusCode, headers }) => done({ status: statusCode ?? 0, headers }));
    req.on('response', (res) => {
      response = res;
      deadline.stage = `received the headers from ${where}, waiting for the rest of the body`;
      const status = res.statusCode ?? 0;
      const { headers } = res;
      const wanted = onStatus(status);
      if (!wanted) return done({ status, headers });
      const taken = new ResponseBody(wanted, headers['content-type']);
      body = taken;
      if (wanted.isOnlyShown) {
        const at = performance.now();
        const timer = setTimeout(() => enough?.(), Math.min(SHOWN_MS, deadline.left_ms / 2));
        enough = () => {
          clearTimeout(timer);
          done({ status, headers, body: taken, at });
        };
      }
      const whole = enough ?? (() => done({ status, headers, body: taken }));
      res.on('error', fail);
      // Straight from the parser: the stream would first keep every chunk of what has arrived, each as an object.
      res.push = (piece: Buffer | null): boolean => {
        if (piece === null ? res.complete : taken.take(piece)) whole();
        else if (taken.isCutSmall) {
          refuse(`sends its body in pieces of less than ${MEAN_PIECE_BYTES} bytes on average: let it buffer them`);
        }
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
  const length = body !== undefined ? Buffer.byteLength(body) : MEANT_FOR_A_BODY.has(method) ? 0 : undefined;
  if (length !== undefined) all['content-length'] = String(length);
  for (const [name, value] of Object.entries(headers)) all[name.toLowerCase()] = value;
  let req: ClientRequest;
  try {
    req = httpRequest({
      // Flat and complete, so that node adds and copies nothing.
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

/** Without a body they say so (RFC 9110, 8.6); node would send an empty chunked one, which many servers refuse. */
const MEANT_FOR_A_BODY = new Set(['POST', 'PUT', 'PATCH']);

function joined(headers: IncomingMessage['headers']): Record<string, string> {
  const plain: Record<string, string> = {};
  for (const name in headers) {
    const value = headers[name];
    if (value !== undefined) plain[name] = typeof value === 'string' ? value : value.join(', ');
  }
  return plain;
}
