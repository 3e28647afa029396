import { type HttpRequest, type Net, NetError } from '#lib/net/net.ts';
import { makeRandom } from '#test/support/random.ts';
import { ASSUMPTIONS as a } from './assumptions.ts';
import type { CpuClock, CpuMeter } from './cpu-clock.ts';

export type Manner = 'answers' | 'fails' | 'hangs' | 'takes alerts';

/** Network of the fleet: hosts with a configured behavior. By default, a host responds. */
export type Targets = {
  does(host: string, manner: Manner): void;
  /** Makes the latencies of later responses log-normal, so that some responses are slow. */
  vary(): void;
  /** Returns the number of received alerts. */
  taken(): number;
  netOf(clock: CpuClock, meter: CpuMeter): Net;
};

export function makeTargets(): Targets {
  const manners = new Map<string, Manner>();
  let taken = 0;
  const random = makeRandom(1);
  let sigma = 0;
  /** Box-Muller transform. */
  const normal = () => Math.sqrt(-2 * Math.log(1 - random.next())) * Math.cos(2 * Math.PI * random.next());

  async function http(clock: CpuClock, meter: CpuMeter, { url, timeout_ms }: HttpRequest) {
    const { hostname } = new URL(url);
    const manner = manners.get(hostname) ?? 'answers';
    meter.cpu_ms += a.probe_cpu_ms;
    const wait =
      manner === 'hangs'
        ? timeout_ms
        : manner === 'takes alerts'
          ? a.receiver_ms
          : Math.min(timeout_ms, Math.round(a.target_ms * Math.exp(sigma * normal())));
    await clock.sleep(wait, meter);
    if (manner === 'takes alerts') taken++;
    if (manner === 'hangs') throw new NetError('timeout', `no response from ${hostname} within ${timeout_ms} ms`);
    return { status: manner === 'fails' ? 503 : 200, headers: {}, body: '', latency_ms: wait };
  }

  const unused = async (): Promise<never> => {
    throw new Error('The fleet has only http checks.');
  };
  return {
    does: (host, manner) => void manners.set(host, manner),
    vary: () => {
      sigma = a.target_sigma;
    },
    taken: () => taken,
    netOf: (clock, meter) => ({
      http: (request) => http(clock, meter, request),
      open: unused,
      resolve: unused,
      guard: unused,
    }),
  };
}
