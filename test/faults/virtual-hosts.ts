import { type HttpRequest, type Net, NetError } from '#lib/net/net.ts';
import type { Clock } from '#lib/platform/ports.ts';

/** Behavior of a host. `breaks`: the calling machine has no sockets left. */
export type Manner =
  | 'answers'
  | 'fails'
  | 'refuses'
  | 'hangs'
  | 'breaks'
  | ((call: Call) => Response | Promise<Response>);

type Response = { status: number; headers?: Record<string, string> };

/** A request to a host, at `at` (epoch ms), and the status of the response; 0 without a response. */
export type Call = { at: number; headers: Record<string, string>; body: string; status: number };

export type Host = {
  /** All requests, including refused ones. */
  calls: Call[];
  does(manner: Manner): void;
};

/** A network whose hosts behave as a test defines. The lookup of REFERENCE_HOST goes to the host `.`. */
export type VirtualHosts = { net: Net; host(name: string): Host; names(): string[] };

const TRAVEL_MS = 20;

/** @param onCall called for each request that reached its host, before the response */
export function virtualHosts(clock: Clock, onCall: (host: string) => Promise<void>): VirtualHosts {
  const hosts = new Map<string, Host & { manner: Manner }>();
  const hostOf = (name: string) => {
    const found = hosts.get(name);
    if (found) return found;
    const host: Host & { manner: Manner } = {
      calls: [],
      manner: 'answers',
      does: (manner) => {
        host.manner = manner;
      },
    };
    hosts.set(name, host);
    return host;
  };

  async function call(name: string, timeout: number, request: Partial<HttpRequest>) {
    const host = hostOf(name);
    const { manner } = host;
    const one: Call = { at: clock.now(), headers: request.headers ?? {}, body: request.body ?? '', status: 0 };
    host.calls.push(one);
    await clock.sleep(TRAVEL_MS);
    if (manner === 'breaks') throw new Error('too many open files');
    if (manner === 'refuses') {
      const refusal = new NetError('connect', `${name} refused the connection`, { answered: true });
      throw Object.assign(refusal, { latency_ms: TRAVEL_MS });
    }
    if (manner === 'hangs') {
      await clock.sleep(timeout - TRAVEL_MS);
      const timedOut = new NetError('timeout', `no response from ${name} within ${timeout} ms`);
      throw Object.assign(timedOut, { latency_ms: timeout });
    }
    const response = typeof manner === 'function' ? await manner(one) : { status: manner === 'answers' ? 200 : 503 };
    one.status = response.status;
    await onCall(name);
    await clock.sleep(TRAVEL_MS);
    return response;
  }

  const unused = async (): Promise<never> => {
    throw new Error('virtual hosts do not support open');
  };
  const net: Net = {
    http: async (request) => {
      const { hostname } = new URL(request.url);
      const { status, headers = {} } = await call(hostname, request.timeout_ms, request);
      return { status, headers, body: '', latency_ms: 2 * TRAVEL_MS };
    },
    resolve: async ({ hostname, timeout_ms }) => {
      await call(hostname, timeout_ms, {});
      return { values: ['a.root-servers.net'], latency_ms: 2 * TRAVEL_MS };
    },
    open: unused,
    guard: async () => {},
  };
  return { net, host: hostOf, names: () => [...hosts.keys()] };
}
