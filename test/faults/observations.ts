import type { Seen } from '#test/oracle/inside.ts';

/** Observations of a run, for the oracle and the actors of the simulation. */
export type Observations = Seen & {
  /** Time of the last push of a check, by its id. */
  newestPush: Map<string, number>;
  /** Returns the next number in the order of observations. */
  next(): number;
};
export type JobProcessed = Seen['jobsProcessed'][number];

export function makeObservations(): Observations {
  let n = 0;
  return {
    commits: [],
    runs: new Map(),
    pushes: [],
    starts: [],
    pings: [],
    jobsSent: [],
    jobsProcessed: [],
    jobsDead: [],
    searches: [],
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
    batchErrors: [],
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
