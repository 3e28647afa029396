import { createServer as createHttpServer, type RequestListener } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { KeyAndCertificate } from '#test/support/certificates.ts';
import type { Random } from '#test/support/random.ts';

/** A request, received at `at` (epoch ms), and the status of the response; 0: the connection was cut. */
export type Arrival = { at: number; path: string; id: string; body: string; status: number };

export type OutsideServer = AsyncDisposable & {
  /** Without a trailing slash. */
  url: string;
  arrivals: Arrival[];
};

/** Response of a server: after `wait_ms`, with this status; 0 cuts the connection. */
export type PlannedResponse = { status: number; wait_ms?: number };

/**
 * Starts a server that records requests. It outlives the service under test, because it is in this process.
 * @param header name, in lower case, of the header that identifies a request; default: the path identifies it
 */
export async function startOutsideServer(options: {
  host: string;
  tls?: KeyAndCertificate;
  header?: string;
  answer: (arrival: Arrival) => PlannedResponse;
}): Promise<OutsideServer> {
  const arrivals: Arrival[] = [];
  const listener: RequestListener = async (request, response) => {
    const at = Date.now();
    const path = request.url ?? '';
    const id = options.header ? String(request.headers[options.header] ?? '') : path;
    let body = '';
    try {
      for await (const chunk of request) body += chunk;
    } catch {
      // The service died while it sent this request, which therefore did not arrive.
      return;
    }
    const arrival: Arrival = { at, path, id, body, status: 0 };
    const { status, wait_ms = 0 } = options.answer(arrival);
    arrival.status = status;
    arrivals.push(arrival);
    setTimeout(() => {
      if (status === 0) request.socket.destroy();
      else response.writeHead(status).end();
    }, wait_ms).unref();
  };
  const server = options.tls ? createHttpsServer(options.tls, listener) : createHttpServer(listener);
  await new Promise<void>((resolve) => server.listen(0, options.host, resolve));
  return {
    url: `${options.tls ? 'https' : 'http'}://${options.host}:${(server.address() as AddressInfo).port}`,
    arrivals,
    [Symbol.asyncDispose]: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

/** Returns the response of a receiver that mostly accepts, and sometimes rejects, disconnects or is slow. */
export function moody(random: Random): PlannedResponse {
  const mood = random.next();
  if (mood < 0.15) return { status: 500 };
  if (mood < 0.2) return { status: 0 };
  if (mood < 0.28) return { status: 200, wait_ms: random.int(500, 2_500) };
  return { status: 200 };
}

/** Returns a target whose state changes every few requests per path; it is up while `calm` is true. */
export function flapping(random: Random, calm: () => boolean): (arrival: Arrival) => PlannedResponse {
  const isDown = new Map<string, boolean>();
  return ({ path }) => {
    if (random.chance(0.3)) isDown.set(path, !isDown.get(path));
    if (calm()) return { status: 200 };
    return { status: isDown.get(path) ? 503 : 200, wait_ms: random.chance(0.1) ? random.int(50, 300) : 0 };
  };
}
