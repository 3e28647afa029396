import { type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { certificateProblem } from './certificate.ts';
import { type Deadline, withDeadline } from './deadline.ts';
import { judgeUrl } from './egress.ts';
import { type HttpReply, type HttpRequest, NetError } from './net.ts';
import { exchangeError } from './net-errors.ts';
import { type Guard, openSocket, secure } from './open-socket.ts';
import { VERSION } from './version.ts';

/** One request as it goes out; a redirect makes the next of it. */
type Hop = { url: URL; method: string; headers: Record<string, string>; body: string | undefined };

type Answer = { status: number; headers: IncomingMessage['headers']; chunks: Buffer[]; size: number };

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
    return {
      status: answer.status,
      headers: joined(answer.headers),
      body: decode(answer, request.max_body_bytes),
      latency_ms: Math.round(performance.now() - started),
    };
  } catch (error) {
    if (error instanceof NetError) error.status = last;
    throw error;
  }
}

async function follow(guard: Guard, request: HttpRequest, deadline: Deadline, heard: Heard): Promise<Answer> {
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
  deadline: Deadline,
  heard: Heard,
): Promise<Answer> {
  const { url } = hop;
  const verdict = judgeUrl(url, request.egress, guard.allow);
  const tls = url.protocol === 'https:';
  const open = await openSocket(guard, verdict, Number(url.port) || (tls ? 443 : 80), request.egress, deadline);
  let socket: Socket = open.socket;
  if (tls && verdict.ok) {
    const secured = await secure(open, verdict, deadline, ['http/1.1']);
    socket = secured;
    if (request.verify_tls !== false && !secured.authorized) {
      const problem = certificateProblem(secured, verdict.host, Date.now());
      throw new NetError('tls', problem || 'the certificate is not trusted', { answered: true });
    }
  }
  deadline.stage = `connected to ${open.where}, waiting for the response`;
  return send(socket, hop, open.where, deadline, (status) => {
    heard(status);
    return request.max_redirects > 0 && isRedirect(status) ? 0 : request.max_body_bytes;
  });
}

/** @param onStatus answers how many bytes of the body to read */
function send(
  socket: Socket,
  hop: Hop,
  where: string,
  deadline: Deadline,
  onStatus: (status: number) => number,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    let response: IncomingMessage | undefined;
    const fail = (error: Error) => {
      // What comes behind a complete response is nobody's; its end is still to be told.
      if (!response?.complete) reject(exchangeError(error, where, response !== undefined));
    };
    const req = start(socket, hop);
    req.on('error', fail);
    // A 101 to somebody who asked for no upgrade is an answer like any other.
    req.on('upgrade', ({ statusCode, headers }) => resolve({ status: statusCode ?? 0, headers, chunks: [], size: 0 }));
    req.on('response', (res) => {
      response = res;
      deadline.stage = `received the headers from ${where}, waiting for the rest of the body`;
      const answer: Answer = { status: res.statusCode ?? 0, headers: res.headers, chunks: [], size: 0 };
      const most = onStatus(answer.status);
      res.on('error', fail);
      res.on('end', () => resolve(answer));
      if (most === 0) return resolve(answer);
      res.on('data', (chunk: Buffer) => {
        answer.chunks.push(chunk);
        answer.size += chunk.length;
        if (answer.size >= most) resolve(answer);
      });
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

const isRedirect = (status: number): boolean =>
  status === 301 || status === 302 || status === 303 || status === 307 || status === 308;

/**
 * The request that a redirect asks for (RFC 9110, Fetch); undefined when the answer is none. Headers and body are
 * secrets of the origin they were meant for, whatever their names.
 */
function redirected(hop: Hop, { status, headers: { location } }: Answer): Hop | undefined {
  if (!isRedirect(status) || location === undefined) return undefined;
  const url = URL.parse(location, hop.url.href);
  if (!url || (url.protocol !== 'http:' && url.protocol !== 'https:')) {
    throw new NetError('redirect', 'redirected to something that is no http or https URL', { answered: true });
  }
  const toGet = status === 303 ? hop.method !== 'HEAD' : status < 303 && hop.method === 'POST';
  const leaves = leavesOrigin(hop.url, url);
  if (leaves && !toGet && hop.body) {
    const message = `redirected to ${shown(url)}, another origin, which is not sent the body: put the final address into the URL`;
    throw new NetError('redirect', message, { answered: true });
  }
  const dropped = (name: string) => (leaves && !HARMLESS.test(name)) || (toGet && name.startsWith('content-'));
  return {
    url,
    method: toGet ? 'GET' : hop.method,
    headers: Object.fromEntries(Object.entries(hop.headers).filter(([name]) => !dropped(name.toLowerCase()))),
    body: toGet ? undefined : hop.body,
  };
}

/** Whether a redirect leads to somebody else: to another origin, but for a host that moves from http to its own https. */
export const leavesOrigin = (from: URL, to: URL): boolean =>
  from.origin !== to.origin && !(to.protocol === 'https:' && to.origin === from.origin.replace(/^http:/, 'https:'));

/** What any origin may be told. */
const HARMLESS = /^(accept(-.+)?|user-agent|cache-control)$/;

/** Query strings may hold secrets. */
const shown = (url: URL): string => url.origin + url.pathname;

function joined(headers: IncomingMessage['headers']): Record<string, string> {
  const plain: Record<string, string> = {};
  for (const name in headers) {
    const value = headers[name];
    if (value !== undefined) plain[name] = typeof value === 'string' ? value : value.join(', ');
  }
  return plain;
}

/** The body as text, in the charset the target names, cut between two characters. */
function decode({ chunks, size, headers }: Answer, limit: number): string {
  if (size === 0 || limit === 0) return '';
  const bytes = chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks, size);
  const charset = /charset\s*=\s*"?([\w-]+)/i.exec(headers['content-type'] ?? '')?.[1]?.toLowerCase() ?? 'utf-8';
  if (charset === 'utf-8' && size < limit) return bytes.toString('utf8');
  return decoderFor(charset).decode(bytes.subarray(0, limit), { stream: true });
}

function decoderFor(charset: string): InstanceType<typeof TextDecoder> {
  try {
    return new TextDecoder(charset);
  } catch {
    return new TextDecoder();
  }
}
