import { type Net, NetError } from '#lib/platform/net.ts';
import type { Observations } from './observations.ts';
import type { Profile } from './profile.ts';
import type { Random } from './random.ts';
import type { VirtualClock } from './virtual-clock.ts';

/** A spell of a target or receiver: what it does until `to` (epoch ms). */
type Spell = { to: number; does: 'well' | 'refuses' | 'fails' | 'hangs' | 'throttles' };

const ILLS = ['refuses', 'fails', 'hangs'] as const;

/** Hosts that a check probes are `t….test`, receivers of alerts `r….test`. */
export function virtualNet(random: Random, clock: VirtualClock, seen: Observations, profile: () => Profile): Net {
  const spells = new Map<string, Spell>();

  /** Spells follow on each other; how long each lasts is drawn when it begins. */
  function spellOf(host: string, wellMs: number, illMs: number, ills: readonly Spell['does'][] = ILLS): Spell {
    let spell = spells.get(host);
    while (!spell || spell.to <= clock.now()) {
      const well: boolean = spell ? spell.does !== 'well' : random.chance(0.7);
      const from: number = spell?.to ?? clock.now();
      const length = Math.round((well ? wellMs : illMs) * (0.1 + 1.8 * random.next()));
      spell = { to: from + length, does: well ? 'well' : random.pick(ills) };
      spells.set(host, spell);
    }
    return spell;
  }

  const unused = async (): Promise<never> => {
    throw new Error('Nothing in this run uses it.');
  };

  async function answer(does: Spell['does'], timeout: number): Promise<number> {
    await clock.sleep(random.int(2, 300));
    if (does === 'refuses') throw new NetError('connect', 'connection refused', { answered: true });
    if (does === 'hangs') {
      await clock.sleep(timeout);
      throw new NetError('timeout', `no answer within ${timeout} ms`);
    }
    return does === 'well' ? 200 : does === 'throttles' ? 429 : 503;
  }

  return {
    http: async ({ url, headers: sent, timeout_ms }) => {
      const { hostname } = new URL(url);
      const at = clock.now();
      if (hostname.startsWith('r')) {
        const { does } = spellOf(hostname, 400_000, profile().quiet ? 20_000 : 60_000, [...ILLS, 'throttles']);
        const id = sent?.['X-Service-Delivery'] ?? '';
        const kind = sent?.['X-Service-Kind'] ?? '';
        const status = { well: 200, fails: 503, throttles: 429, refuses: 0, hangs: 0 }[does];
        // What hangs has read the request all the same.
        if (does !== 'refuses') seen.received.push({ delivery_id: id, kind, at, status });
        const headers: Record<string, string> =
          does === 'throttles' && random.chance(0.7) ? { 'retry-after': '2' } : {};
        return { status: await answer(does, timeout_ms), headers, body: '', latency_ms: clock.now() - at };
      }
      const { does } = spellOf(hostname, 240_000, 90_000);
      seen.probes.push({ host: hostname, at, success: does === 'well' });
      return { status: await answer(does, timeout_ms), headers: {}, body: '', latency_ms: clock.now() - at };
    },
    connect: unused,
    tls: unused,
    resolve: unused,
    judge: unused,
  };
}
