import { type StoreSpell, stalledBetween } from '#test/oracle/inside.ts';
import type { Random } from '#test/support/random.ts';
import type { VirtualClock } from '#test/support/virtual-clock.ts';
import { count, type Observations } from './observations.ts';
import type { Profile } from './profile.ts';

/** Creates the faults of the service's machines and of their store. */
export function makeWeather(clock: VirtualClock, seen: Observations) {
  let asleepUntil = 0;
  let nextStall = 0;
  return {
    seen,
    /** Stalls every process for `ms` during the next probe. */
    stallNext: (ms: number): void => {
      nextStall = ms;
    },
    /** Called when a probe starts: starts the stall of `stallNext`, unless another stall lasts. */
    onProbe: (): void => {
      const now = clock.now();
      if (nextStall === 0 || stalledBetween(seen, now, now + 1) > 0) return;
      seen.stalls.push({ from: now, to: now + nextStall });
      nextStall = 0;
      count(seen, 'stall of the event loop');
    },
    /** Returns the total duration of stalls so far (ms). */
    stalled: (): number => stalledBetween(seen, 0, clock.now()),
    fallAsleep: (until: number): void => {
      asleepUntil = until;
    },
    /** Sleeps like a process: while its machine sleeps or its event loop stalls, its timers do not fire. */
    sleep: async (ms: number): Promise<void> => {
      await clock.sleep(ms);
      const resumesAt = () => Math.max(asleepUntil, seen.stalls.at(-1)?.to ?? 0);
      while (clock.now() < resumesAt()) await clock.sleep(resumesAt() - clock.now());
    },
    storeSpell: (): StoreSpell['kind'] | undefined => {
      const kinds = seen.storeSpells.filter((one) => one.from <= clock.now() && clock.now() < one.to);
      return (kinds.find(({ kind }) => kind === 'disk full') ?? kinds[0])?.kind;
    },
  };
}

type Weather = ReturnType<typeof makeWeather> & {
  random: Random;
  clock: VirtualClock;
  profile: Profile;
  started: number;
  lengthMs: number;
};
type Cloud = {
  outage(ms: number): void;
  suspend(to: number): void;
  isRunning(): boolean;
  refuseWrites(refuse: boolean): void;
  wakeAll(): void;
};

/** Schedules outages, sleeps, stalls, throttling and full disks at random times. */
export function drawWeather(weather: Weather, cloud: Cloud): void {
  const { random, clock, seen, profile, started, lengthMs } = weather;
  const someTime = (from = 60_000): number => started + random.int(from, lengthMs - 240_000);

  for (let i = 0; i < profile.outages; i++) clock.at(someTime(), () => cloud.outage(random.int(5_000, 220_000)));
  for (let i = 0; i < profile.suspensions; i++) {
    clock.at(someTime(), () => {
      if (!cloud.isRunning()) return;
      const to = clock.now() + random.int(20_000, 220_000);
      weather.fallAsleep(to);
      cloud.suspend(to);
    });
  }
  for (let i = 0; i < profile.stalls; i++) {
    const length = random.int(300, 9_000);
    clock.at(someTime(), () => weather.stallNext(length));
  }
  for (let i = 0; i < profile.throttlings; i++) {
    const from = someTime();
    seen.storeSpells.push({ from, to: from + random.int(3_000, 40_000), kind: 'throttling' });
  }
  for (let i = 0; i < profile.fullDisks; i++) {
    const from = someTime();
    const to = from + random.int(10_000, 150_000);
    seen.storeSpells.push({ from, to, kind: 'disk full' });
    clock.at(from, () => {
      count(seen, 'disk full');
      cloud.refuseWrites(true);
    });
    clock.at(to, () => {
      cloud.refuseWrites(false);
      cloud.wakeAll();
    });
  }
}
