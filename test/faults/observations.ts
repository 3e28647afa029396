import type { Seen } from '#test/oracle/inside.ts';

/** What a run notes for its judges, and for those who act in it. */
export type Observations = Seen & {
  /** When the newest push of a check was received, by the id of the check. */
  newestPush: Map<string, number>;
  /** Orders everything that is observed. */
  next(): number;
};
export type JobRun = Seen['jobRuns'][number];

export function makeObservations(): Observations {
  let n = 0;
  return {
    commits: [],
    runs: new Map(),
    pushes: [],
    starts: [],
    pings: [],
    jobsSent: [],
    jobRuns: [],
    jobsDead: [],
    probes: [],
    referenceProbes: [],
    received: [],
    calls: [],
    reports: [],
    manualRuns: [],
    applied: [],
    actionRuns: [],
    outages: [],
    stalls: [],
    storeSpells: [],
    batches: [],
    spells: [],
    stops: [],
    statuses: [],
    newestPush: new Map(),
    faults: {},
    table: new Map(),
    next: () => ++n,
  };
}

export const count = (seen: Observations, fault: string): void => {
  seen.faults[fault] = (seen.faults[fault] ?? 0) + 1;
};
