import { NetError } from '#lib/net/net.ts';
import type { NetworkSpell } from '#test/oracle/inside.ts';
import { isOfNeighbor } from '#test/oracle/rules.ts';
import type { Random } from '#test/support/random.ts';
import type { VirtualClock } from '#test/support/virtual-clock.ts';
import type { Observations } from './observations.ts';
import { placesOf } from './places.ts';

/** Behavior of a host for a request. `fails`: a wrong response. `drags`: a right but late response. */
export type Does = 'well' | 'refuses' | 'fails' | 'hangs' | 'throttles' | 'drags';
/** Behavior of a host for a time; `flaps`: different for each request. */
type Manner = Does | 'flaps';
type Spell = { to: number; manner: Manner };

const ILLS: readonly Manner[] = ['refuses', 'fails', 'hangs', 'flaps'];
const FLAPS: readonly Does[] = ['well', 'well', 'refuses', 'fails', 'hangs'];

/** Average times for which a host is healthy and unhealthy (ms), and its kinds of failures. */
export type Health = { wellMs: number; illMs: number; ills?: readonly Manner[] };
/** Health of infrastructure that several hosts share. */
const SHARED: Health = { wellMs: 480_000, illMs: 100_000 };

/** External systems: hosts that are alternately healthy and unhealthy, and the network to them. */
export type Manners = ReturnType<typeof makeManners>;

/** Creates the external systems. @param sleep waits, and longer if the machine of the caller sleeps or stalls */
export function makeManners(random: Random, clock: VirtualClock, seen: Observations, sleep: VirtualClock['sleep']) {
  const spells = new Map<string, Spell>();

  /** Returns the current behavior of a host. It changes after random times, drawn when a behavior starts. */
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
    /** Returns the current behavior of a host. */
    doesNow: (host: string, health: Health): Does => {
      if (isOfNeighbor(host)) return 'hangs';
      const places = placesOf(host);
      const manners = places.map((place) => mannerOf(place, place === host ? health : SHARED));
      const manner = manners.find((one) => one !== 'well') ?? 'well';
      return manner === 'flaps' ? random.pick(FLAPS) : manner;
    },
    /** Repairs a host: it is healthy for a while. */
    repair: (host: string, { wellMs }: Health): void => {
      const spell = spells.get(host);
      if (spell && spell.manner !== 'well') spells.set(host, { to: clock.now() + wellMs, manner: 'well' });
    },
    /** Waits for the response time of a host. */
    think: (): Promise<void> => sleep(random.int(2, 300)),
    /** Waits without a response. */
    hang: async (timeout: number): Promise<never> => {
      await sleep(timeout);
      throw new NetError('timeout', `no response within ${timeout} ms`);
    },
    /**
     * Returns the current network outage of these kinds, if any. The outage at the start of a request applies to all of
     * the request.
     */
    networkOutageNow: (unresponsive: NetworkSpell['unresponsive'][]): NetworkSpell | undefined =>
      seen.spells.find(
        (one) => unresponsive.includes(one.unresponsive) && one.from <= clock.now() && clock.now() < one.to,
      ),
    silence: async (spell: NetworkSpell, timeout: number): Promise<never> => {
      await sleep(spell.error === 'dns' ? random.int(2, 300) : timeout);
      if (spell.error === 'dns') throw new NetError('dns', 'no DNS server answered');
      throw new NetError('timeout', `no response within ${timeout} ms`);
    },
  };
}

export const refused = (): NetError => new NetError('connect', 'connection refused', { answered: true });
