import { type HttpRequest, type Net, NetError } from '#lib/platform/net.ts';
import { ASSUMPTIONS as a } from './assumptions.ts';
import type { Account, CpuClock } from './cpu-clock.ts';

export type Manner = 'answers' | 'fails' | 'hangs' | 'takes alerts';

/** The net of the fleet: hosts that do as they are told, by default answer. */
export type Targets = {
  does(host: string, manner: Manner): void;
  /** How many alerts were taken. */
  taken(): number;
  netOf(clock: CpuClock, whose: Account): Net;
};

export function makeTargets(): Targets {
  const manners = new Map<string, Manner>();
  let taken = 0;

  async function http(clock: CpuClock, whose: Account, { url, timeout_ms }: HttpRequest) {
    const { hostname } = new URL(url);
    const manner = manners.get(hostname) ?? 'answers';
    whose.cpu_ms += a.probe_cpu_ms;
    const wait = manner === 'hangs' ? timeout_ms : manner === 'takes alerts' ? a.receiver_ms : a.target_ms;
    await clock.sleep(wait, whose);
    if (manner === 'takes alerts') taken++;
    if (manner === 'hangs') throw new NetError('timeout', `no answer from ${hostname} within ${timeout_ms} ms`);
    return { status: manner === 'fails' ? 503 : 200, headers: {}, body: '', latency_ms: wait };
  }

  const unused = async (): Promise<never> => {
    throw new Error('The fleet has http checks only.');
  };
  return {
    does: (host, manner) => void manners.set(host, manner),
    taken: () => taken,
    netOf: (clock, whose) => ({
      http: (request) => http(clock, whose, request),
      connect: unused,
      tls: unused,
      resolve: unused,
      judge: unused,
    }),
  };
}
