import { type Net, NetError } from '#lib/platform/net.ts';
import type { NetworkSpell, Observations } from './observations.ts';
import type { Profile } from './profile.ts';
import type { Random } from './random.ts';
import type { VirtualClock } from './virtual-clock.ts';

/** A spell of a target or receiver: what it does until `to` (epoch ms). */
type Does = 'well' | 'refuses' | 'fails' | 'hangs' | 'throttles';
type Spell = { to: number; does: Does };

const ILLS = ['refuses', 'fails', 'hangs'] as const;

/**
 * Hosts that a check probes are `t….test`, receivers of alerts `r….test`, targets of actions `c….example.com`. Answers the net
 * as each process sees it.
 * @param onCall hears of each run whose call an action's target has read
 */
export function virtualNet(
  random: Random,
  clock: VirtualClock,
  seen: Observations,
  profile: () => Profile,
  onCall: (execution_id: string) => void = () => {},
): (process: number) => Net {
  const spells = new Map<string, Spell>();

  /** Spells follow on each other; how long each lasts is drawn when it begins. */
  function spellOf(host: string, wellMs: number, illMs: number, ills: readonly Does[] = ILLS): Spell {
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

  /** Our network when a request sets out decides over all of it. */
  const outside = (silences: NetworkSpell['silences'][]): NetworkSpell | undefined =>
    seen.spells.find((one) => silences.includes(one.silences) && one.from <= clock.now() && clock.now() < one.to);

  async function silence(spell: NetworkSpell, timeout: number): Promise<never> {
    await clock.sleep(spell.error === 'dns' ? random.int(2, 300) : timeout);
    if (spell.error === 'dns') throw new NetError('dns', 'no DNS server answered');
    throw new NetError('timeout', `no answer within ${timeout} ms`);
  }

  async function answer(does: Does, timeout: number): Promise<number> {
    await clock.sleep(random.int(2, 300));
    if (does === 'refuses') throw new NetError('connect', 'connection refused', { answered: true });
    if (does === 'hangs') {
      await clock.sleep(timeout);
      throw new NetError('timeout', `no answer within ${timeout} ms`);
    }
    return does === 'well' ? 200 : does === 'throttles' ? 429 : 503;
  }

  async function receive(host: string, sent: Record<string, string>, timeout: number) {
    const down = outside(['network']);
    if (down) return silence(down, timeout);
    const { does } = spellOf(host, 400_000, profile().quiet ? 20_000 : 60_000, [...ILLS, 'throttles']);
    const id = sent['X-Service-Delivery'] ?? '';
    const kind = sent['X-Service-Kind'] ?? '';
    const status = { well: 200, fails: 503, throttles: 429, refuses: 0, hangs: 0 }[does];
    // What hangs has read the request all the same.
    if (does !== 'refuses') seen.received.push({ delivery_id: id, kind, at: clock.now(), status });
    const headers: Record<string, string> = does === 'throttles' && random.chance(0.7) ? { 'retry-after': '2' } : {};
    return { status: await answer(does, timeout), headers };
  }

  async function pipeline({ hostname, pathname }: URL, timeout: number): Promise<number> {
    const down = outside(['network']);
    if (down) return silence(down, timeout);
    const { does } = spellOf(hostname, 300_000, 90_000);
    const execution_id = pathname.slice(1);
    if (does !== 'refuses') {
      seen.calls.push({
        n: seen.next(),
        execution_id,
        at: clock.now(),
        status: does === 'well' ? 200 : does === 'fails' ? 503 : 0,
      });
      onCall(execution_id);
    }
    return answer(does, timeout);
  }

  async function probe(process: number, host: string, timeout: number): Promise<number> {
    const down = outside(['network', 'targets']);
    const { does } = spellOf(host, 240_000, 90_000);
    const success = !down && does === 'well';
    const one = { process, host, at: clock.now(), success, silent: down !== undefined || does === 'hangs' };
    seen.probes.push(one);
    try {
      return await (down ? silence(down, timeout) : answer(does, timeout));
    } finally {
      Object.assign(one, { ended_at: clock.now() });
    }
  }

  async function look(process: number, timeout: number): Promise<void> {
    const down = outside(['network']);
    const one = { process, at: clock.now(), heard: !down };
    seen.looks.push(one);
    try {
      await (down ? silence(down, timeout) : clock.sleep(random.int(2, 300)));
    } finally {
      Object.assign(one, { ended_at: clock.now() });
    }
  }

  return (process) => ({
    http: async ({ url, headers = {}, timeout_ms }) => {
      const target = new URL(url);
      const { hostname } = target;
      const at = clock.now();
      const reply = hostname.startsWith('r')
        ? await receive(hostname, headers, timeout_ms)
        : hostname.startsWith('c')
          ? { status: await pipeline(target, timeout_ms), headers: {} }
          : { status: await probe(process, hostname, timeout_ms), headers: {} };
      return { ...reply, body: '', latency_ms: clock.now() - at };
    },
    resolve: async ({ timeout_ms }) => {
      await look(process, timeout_ms);
      return { values: ['a.root-servers.net'], latency_ms: 20 };
    },
    connect: unused,
    tls: unused,
    judge: async () => {},
  });
}
