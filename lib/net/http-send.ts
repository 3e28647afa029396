import type { ClientRequest, IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { VERSION } from '#lib/platform/version.ts';
import { NetError } from './net.ts';
import { exchangeError } from './net-errors.ts';
import { request as httpRequest } from './node-http.ts';
import type { Hop } from './redirect.ts';
import type { RequestTimeout } from './request-timeout.ts';
import { MEAN_PIECE_BYTES, ResponseBody, SMALL_BYTES, type WantedBody } from './response-body.ts';

/** What a parser is given at a time. */
const SIP_BYTES = 2 * 1024;

/**
 * Hands over what arrives on a socket in small parts, and nothing more once the socket is destroyed. A parser makes
 * an object of every chunk in the up to 64 KB that it is given; so it stops where its user does.
 * @param onSip hears before each part how many bytes have come so far with it
 */
function inSmallChunks(socket: Socket, onSip: (bytes: number) => void): void {
  const push = socket.push;
  let taken = 0;
  socket.push = (arrived: Buffer | null): boolean => {
    if (arrived === null) return push.call(socket, null);
    let wantsMore = false;
    for (let from = 0; from < arrived.length && !socket.destroyed; from += SIP_BYTES) {
      const sip = arrived.length <= SIP_BYTES ? arrived : arrived.subarray(from, from + SIP_BYTES);
      taken += sip.length;
      onSip(taken);
      if (!socket.destroyed) wantsMore = push.call(socket, sip);
    }
    return wantsMore;
  };
}

/**
 * `body` is absent where none was to be read; `at`: when the headers came, where nothing else decided; `valid_to` is
 * that of the certificate, where it was asked for; `waited_ms`: for room, which is no part of the latency.
 */
export type HttpResponse = {
  status: number;
  headers: IncomingMessage['headers'];
  body?: ResponseBody;
  at?: number;
  waited_ms?: number;
  valid_to?: number;
};

/** A response may be announced so many times (1xx) before it comes. */
const MAX_INTERIM = 50;
/** So many bytes may come beside the body, and once more as many as it has: headers, sizes of chunks, trailers. */
const MAX_CONCURRENT = 64 * 1024;

/** A body that is only to be shown is waited for so long (ms). */
const SHOWN_MS = 1_000;

type HowToSend = {
  deadline: RequestTimeout;
  /** Answers what to read of the body; undefined: nothing. */
  onStatus: (status: number) => WantedBody | undefined;
  /** Waits until there is room for a large body. */
  room?: () => Promise<void>;
};

/** Sends one request over a socket, and takes what is wanted of its response. */
export function send(
  socket: Socket,
  hop: Hop,
  where: string,
  { deadline, onStatus, room }: HowToSend,
): Promise<HttpResponse> {
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
    const done = (answer: HttpResponse) => {
      resolve(answer);
      socket.destroy();
    };
    const refuse = (why: string) => {
      if (socket.destroyed) return;
      if (enough) return enough();
      reject(new NetError('connect', `${where} ${why}`, { answered: true }));
      socket.destroy();
    };
    let waited_ms: number | undefined;
    /** Nothing more is read meanwhile: the other side holds what is to come. */
    const waitForRoom = async (forIt: () => Promise<void>) => {
      waited_ms = 0;
      const [since, { stage }] = [performance.now(), deadline];
      deadline.stage = `received ${SMALL_BYTES} bytes of the body from ${where}, waiting for room to hold more here`;
      socket.pause();
      await forIt();
      socket.resume();
      deadline.stage = stage;
      waited_ms = performance.now() - since;
    };
    inSmallChunks(socket, (bytes) => {
      if (bytes > MAX_CONCURRENT + 2 * (body?.size ?? 0))
        refuse('sends more headers, chunk sizes or trailers than content');
    });
    const req = start(socket, hop);
    req.on('error', fail);
    req.on('information', () => {
      if (++interim > MAX_INTERIM) refuse(`sent ${MAX_INTERIM} interim responses (1xx) and no final one`);
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
      const whole =
        enough ?? (() => done({ status, headers, body: taken, ...(waited_ms !== undefined && { waited_ms }) }));
      res.on('error', fail);
      // Straight from the parser: the stream would first keep every chunk of what has arrived, each as an object.
      res.push = (piece: Buffer | null): boolean => {
        if (piece === null ? res.complete : taken.take(piece)) whole();
        else if (taken.isCutSmall) {
          refuse(`sends its body in pieces of less than ${MEAN_PIECE_BYTES} bytes on average: let it buffer them`);
        } else if (room && waited_ms === undefined && taken.isLarge) waitForRoom(room).catch(reject);
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
