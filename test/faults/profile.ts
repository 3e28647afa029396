import type { Random } from '#test/support/random.ts';

/** How rough the world of a run is. Probabilities are per call, message or tick. */
export type Profile = {
  /** One process for everything, as on one machine; else one for each invocation, as on AWS. */
  oneProcess: boolean;
  /** Unless it is one: whether a process whose invocation is over takes another one. */
  warm: boolean;
  /** The setting REFERENCE_HOST. */
  referenceHost: string;
  /** Times in which our own network is down, the reference host out of reach with it. */
  networkSpells: number;
  /** Times in which all targets are silent and the reference host answers. */
  targetSpells: number;
  /** Times in which the operator of the service has disabled the account. */
  stops: number;
  /** Another tenant has more checks that hang than one process has places. */
  neighbour: boolean;
  /** Another tenant has a catalog that is called the same, on the same hosts. */
  twin: boolean;
  shards: number;
  jobGroupMs: number;
  crash: number;
  refuse: number;
  /** A call that was done, and whose answer is a time-out. */
  lost: number;
  /** A batch of messages or items of which only the first ones went through. */
  partly: number;
  /** A run of a function whose time is over after some seconds. */
  timeout: number;
  replay: number;
  conflict: number;
  /** A call that takes up to 3 s. */
  slow: number;
  /** A batch that is received and never run, as Lambda throttles it; on AWS alone. */
  unrun: number;
  /** A batch of messages with one among them that nobody can read; not a fault of ours. */
  poison: number;
  duplicate: number;
  delay: number;
  tickMissing: number;
  tickDouble: number;
  /** How far the clock of a process may be off, both ways. */
  skewMs: number;
  /** How far the clock of a process may jump from the true time, both ways; 0: it never does. */
  jumpMs: number;
  /** A call before which the clock jumps. */
  jump: number;
  /** Times in which a machine sleeps, and goes on afterwards where it was. */
  suspensions: number;
  /** Times in which the event loop of our processes stands still for some seconds while a probe is out. */
  stalls: number;
  /** Times in which the store throttles most calls. */
  throttlings: number;
  /** Times in which the disk is full. */
  fullDisks: number;
  /** Whole-service outages in a run. */
  outages: number;
  /** Calls of the store and of queues take no time, as those of one machine that has time. */
  instant?: boolean;
  /** Nothing of ours fails: the promises about time hold to the second. */
  quiet: boolean;
};

const QUIET = {
  crash: 0,
  refuse: 0,
  lost: 0,
  partly: 0,
  timeout: 0,
  replay: 0,
  conflict: 0,
  slow: 0,
  unrun: 0,
  duplicate: 0,
  delay: 0,
  tickMissing: 0,
  tickDouble: 0,
  skewMs: 0,
  jumpMs: 0,
  jump: 0,
  suspensions: 0,
  stalls: 0,
  throttlings: 0,
  fullDisks: 0,
  outages: 0,
};

/** One run in five is quiet; the others differ in what fails and how often. */
export function drawProfile(random: Random): Profile {
  const quiet = random.chance(0.2);
  const oneProcess = random.chance(0.5);
  const upTo = (most: number): number => (random.chance(0.3) ? 0 : random.next() * most);
  return {
    oneProcess,
    warm: random.chance(0.7),
    referenceHost: random.pick(['.', '.', '.', '']),
    networkSpells: random.int(0, 2),
    targetSpells: random.int(0, 1),
    stops: random.int(0, 1),
    neighbour: oneProcess && random.chance(0.3),
    twin: random.chance(0.25),
    shards: random.pick([1, 2, 6]),
    jobGroupMs: random.pick([50, 1000]),
    poison: 0.004,
    ...QUIET,
    ...(!quiet && {
      // One process takes everything along with it.
      crash: upTo(oneProcess ? 0.001 : 0.01),
      refuse: upTo(0.02),
      lost: upTo(0.02),
      partly: upTo(0.02),
      timeout: upTo(0.02),
      replay: upTo(0.03),
      conflict: upTo(0.05),
      slow: upTo(0.02),
      unrun: oneProcess ? 0 : upTo(0.1),
      duplicate: upTo(0.2),
      delay: upTo(0.1),
      tickMissing: upTo(0.2),
      tickDouble: upTo(0.3),
      skewMs: random.pick([0, 20]),
      jumpMs: random.pick([0, 0, 2000]),
      jump: upTo(0.002),
      suspensions: oneProcess ? random.int(0, 1) : 0,
      stalls: random.int(0, 6),
      throttlings: random.int(0, 1),
      fullDisks: oneProcess ? random.int(0, 1) : 0,
      outages: random.int(0, 2),
    }),
    quiet,
  };
}

/** The same world after everything was repaired: what is left must settle. */
export const repaired = (profile: Profile): Profile => ({ ...profile, ...QUIET, poison: 0 });
