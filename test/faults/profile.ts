import type { Random } from '#test/support/random.ts';

/** Fault rates of a run. Probabilities are per call, message or tick. */
export type Profile = {
  /** Whether one process runs everything, like on one machine; else one per invocation, like on AWS. */
  oneProcess: boolean;
  /** Whether a process takes another invocation when it is done (with several processes). */
  warm: boolean;
  /** The setting REFERENCE_HOST. */
  referenceHost: string;
  /** Number of network outages of the service, in which the reference host does not respond either. */
  networkSpells: number;
  /** Number of periods in which no target responds, but the reference host does. */
  targetSpells: number;
  /** Number of periods in which the operator disables the account. */
  stops: number;
  /** Whether another tenant has more hanging checks than one process has permits. */
  neighbor: boolean;
  /** Whether another tenant has a catalog with the same names, on the same hosts. */
  twin: boolean;
  shards: number;
  jobGroupMs: number;
  crash: number;
  refuse: number;
  /** A call that took effect but timed out. */
  lost: number;
  /** A batch of messages or items of which only the first ones took effect. */
  partly: number;
  /** A function run that times out after some seconds. */
  timeout: number;
  /** A write that is executed twice, as by a retry of the SDK. */
  replay: number;
  conflict: number;
  /** A call that takes up to 3 s. */
  slow: number;
  /** A batch that is received but not run, as when Lambda throttles; only on AWS. */
  unrun: number;
  /** A batch with an unreadable message; also in quiet runs, because it is not a fault of the service. */
  poison: number;
  duplicate: number;
  delay: number;
  tickMissing: number;
  tickDouble: number;
  /** Maximum offset of a process clock, both ways (ms). */
  skewMs: number;
  /** Maximum jump of a process clock from the true time, both ways (ms); 0: no jumps. */
  jumpMs: number;
  /** A call before which the clock jumps. */
  jump: number;
  /** Number of periods in which a machine sleeps; its processes continue afterwards. */
  suspensions: number;
  /** Number of stalls of the event loops for some seconds during a probe. */
  stalls: number;
  /** Number of periods in which the store throttles most calls. */
  throttlings: number;
  /** Number of periods in which the disk is full. */
  fullDisks: number;
  /** Number of outages of the whole service. */
  outages: number;
  /** Whether calls of the store and of queues take no time, as on a single idle machine. */
  instant?: boolean;
  /** Whether the service has no faults, so that promises about time are exact to the second. */
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

/** Draws the profile of a run. One in five is quiet; the others differ in the kinds and rates of faults. */
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
    neighbor: oneProcess && random.chance(0.3),
    twin: random.chance(0.25),
    shards: random.pick([1, 2, 6]),
    jobGroupMs: random.pick([50, 1000]),
    poison: 0.004,
    ...QUIET,
    ...(!quiet && {
      // The crash of a single process ends all work.
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

/** Returns the profile without faults, in which the service must settle. */
export const repaired = (profile: Profile): Profile => ({ ...profile, ...QUIET, poison: 0 });
