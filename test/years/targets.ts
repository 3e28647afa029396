import { type Net, NetError } from '#lib/net/net.ts';
import { hash32 } from '#lib/platform/ids.ts';

/** Network that responds immediately, and the numbers of its requests. */
export type Targets = { net: Net; counts: { probes: number; failed: number; alerts: number; actions: number } };

/**
 * Failures of each target: one per `once_in` (ms), at a time that differs by target, `shortest` to `longest` ms long.
 */
export type Spells = { once_in: number; shortest: number; longest: number };

type Spell = { turn: number; from: number; to: number };

const LATENCY_MS = 20;

/**
 * Targets of checks are `t….test`, with failures; `pager.test` accepts alerts and rejects one in twenty; everything
 * else, including the reference host, responds.
 */
export function makeTargets(now: () => number, { once_in, shortest, longest }: Spells): Targets {
  const counts = { probes: 0, failed: 0, alerts: 0, actions: 0 };
  const spells = new Map<string, Spell>();

  function isFailing(host: string): boolean {
    const at = now();
    const turn = Math.floor(at / once_in);
    let spell = spells.get(host);
    if (spell?.turn !== turn) {
      const length = shortest + (hash32(`${host} ${turn} length`) % (longest - shortest));
      const from = turn * once_in + (hash32(`${host} ${turn} begin`) % (once_in - length));
      spell = { turn, from, to: from + length };
      spells.set(host, spell);
    }
    return spell.from <= at && at < spell.to;
  }

  function response(host: string): number {
    if (host === 'pager.test') {
      counts.alerts++;
      return hash32(`${counts.alerts}`) % 20 === 0 ? 503 : 200;
    }
    if (!host.startsWith('t')) {
      counts.actions++;
      return 200;
    }
    counts.probes++;
    if (!isFailing(host)) return 200;
    counts.failed++;
    if (counts.failed % 3 === 0) throw new NetError('connect', `${host} refused the connection`, { answered: true });
    return 503;
  }

  const unused = async (): Promise<never> => {
    throw new Error('Nothing in this run uses it.');
  };
  return {
    counts,
    net: {
      http: async ({ url }) => ({
        status: response(new URL(url).hostname),
        headers: {},
        body: '',
        latency_ms: LATENCY_MS,
      }),
      resolve: async () => ({ values: ['a.root-servers.net'], latency_ms: LATENCY_MS }),
      guard: async () => {},
      open: unused,
    },
  };
}
