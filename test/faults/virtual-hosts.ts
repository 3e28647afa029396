import { type HttpRequest, type Net, NetError } from '#lib/net/net.ts';
import type { Clock } from '#lib/platform/ports.ts';

/** What a host does with whoever calls it. `breaks`: the machine that calls has no more sockets. */
export type Manner =
  | 'answers'
  | 'fails'
  | 'refuses'
  | 'hangs'
  | 'breaks'
  | ((call: Call) => { status: number; headers?: Record<string, string> });

/** One request that a host got, at `at` (epoch ms), and the status that it answered; 0 for none. */
export type Call = { at: number; headers: Record<string, string>; body: string; status: number };

export type Host = {
  /** All requests, also those that came to nothing because it refused. */
  calls: Call[];
  does(manner: Manner): void;
};

/** A network whose hosts do as a test says. The look-up that a REFERENCE_HOST makes goes to the host `.`. */
export type VirtualHosts = { net: Net; host(name: string): Host; names(): string[] };

const TRAVEL_MS = 20;

/** @param onCall hears of each request that reached its host, before that one answers */
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
      const silence = new NetError('timeout', `no answer from ${name} within ${timeout} ms`);
      throw Object.assign(silence, { latency_ms: timeout });
    }
    const answer = typeof manner === 'function' ? manner(one) : { status: manner === 'answers' ? 200 : 503 };
    one.status = answer.status;
    await onCall(name);
    await clock.sleep(TRAVEL_MS);
    return answer;
  }

  const unused = async (): Promise<never> => {
    throw new Error('no test needs it yet');
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
