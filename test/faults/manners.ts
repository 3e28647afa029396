import { NetError } from '#lib/net/net.ts';
import type { NetworkSpell } from '#test/oracle/inside.ts';
import { isOfNeighbor } from '#test/oracle/rules.ts';
import type { Random } from '#test/support/random.ts';
import type { VirtualClock } from '#test/support/virtual-clock.ts';
import type { Observations } from './observations.ts';
import { placesOf } from './places.ts';

/** What a host does with a request. `fails`: it answers, but not as it should. `drags`: it answers well, and late. */
export type Does = 'well' | 'refuses' | 'fails' | 'hangs' | 'throttles' | 'drags';
/** What a host does for a while; `flaps`: something else each time. */
type Manner = Does | 'flaps';
type Spell = { to: number; manner: Manner };

const ILLS: readonly Manner[] = ['refuses', 'fails', 'hangs', 'flaps'];
const FLAPS: readonly Does[] = ['well', 'well', 'refuses', 'fails', 'hangs'];

/** How long a host is well and ill at a time, about (ms), and what ails it. */
export type Health = { wellMs: number; illMs: number; ills?: readonly Manner[] };
/** Of what several hosts stand on. */
const SHARED: Health = { wellMs: 480_000, illMs: 100_000 };

/** Everything that is not ours: hosts that are well and ill by turns, and the network on the way to them. */
export type Manners = ReturnType<typeof makeManners>;

/** @param sleep lets time pass for whoever asks, who may be suspended meanwhile */
export function makeManners(random: Random, clock: VirtualClock, seen: Observations, sleep: VirtualClock['sleep']) {
  const spells = new Map<string, Spell>();

  /** Spells follow on each other; how long each lasts is drawn when it begins. */
  function mannerOf(host: string, { wellMs, illMs, ills = ILLS }: Health): Manner {
    let spell = spells.get(host);
    while (!spell || spell.to <= clock.now()) {
      const well: boolean = spell ? spell.manner !== 'well' : random.chance(0.7);
      const from: number = spell?.to ?? clock.now();
      const length = Math.round((well ? wellMs : illMs) * (0.1 + 1.8 * random.next()));
      spell = { to: from + length, manner: well ? 'well' : random.pick(ills) };
      spells.set(host, spell);
    }
    return spell.manner;
  }

  return {
    ILLS,
    sleep,
    /** What a host does with the request that reaches it now. */
    doesNow: (host: string, health: Health): Does => {
      if (isOfNeighbor(host)) return 'hangs';
      const places = placesOf(host);
      const manners = places.map((place) => mannerOf(place, place === host ? health : SHARED));
      const manner = manners.find((one) => one !== 'well') ?? 'well';
      return manner === 'flaps' ? random.pick(FLAPS) : manner;
    },
    /** Somebody has repaired it: it is well for a while, if it was not. */
    repair: (host: string, { wellMs }: Health): void => {
      const spell = spells.get(host);
      if (spell && spell.manner !== 'well') spells.set(host, { to: clock.now() + wellMs, manner: 'well' });
    },
    /** The time that a host takes. */
    think: (): Promise<void> => sleep(random.int(2, 300)),
    /** Nothing more comes. */
    hang: async (timeout: number): Promise<never> => {
      await sleep(timeout);
      throw new NetError('timeout', `no answer within ${timeout} ms`);
    },
    /** Our network when a request sets out decides over all of it. */
    outside: (silences: NetworkSpell['silences'][]): NetworkSpell | undefined =>
      seen.spells.find((one) => silences.includes(one.silences) && one.from <= clock.now() && clock.now() < one.to),
    silence: async (spell: NetworkSpell, timeout: number): Promise<never> => {
      await sleep(spell.error === 'dns' ? random.int(2, 300) : timeout);
      if (spell.error === 'dns') throw new NetError('dns', 'no DNS server answered');
      throw new NetError('timeout', `no answer within ${timeout} ms`);
    },
  };
}

export const refused = (): NetError => new NetError('connect', 'connection refused', { answered: true });
