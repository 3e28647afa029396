import type { Item, Key } from '#lib/platform/ports.ts';

/** One item as a commit left it; `before` and `after` are undefined where there is none. */
export type Change = { key: Key; before: Item | undefined; after: Item | undefined };
export type Commit = { n: number; at: number; changes: Change[] };

/** One request of an agent. `n` orders it among the commits. */
export type PushAttempt = {
  check_id: string;
  /** What the agent means by it: attempts of one push share it. */
  push: number;
  identified: boolean;
  body: { success: boolean; latency_ms: number } | undefined;
  started_n: number;
  answered?: { n: number; at: number; status: number; result_id?: string };
  /** The store answered it twice: whether it was first is not known any more. */
  replayed: boolean;
};

/** One time that a function took a job. `done_at` is absent while it is at it and when it died. */
export type JobRun = { check_id: string; slot: number; began_at: number; done_at?: number };
export type JobSent = { check_id: string; slot: number; at: number };
export type ProbeSeen = { host: string; at: number; success: boolean };
export type Received = { delivery_id: string; kind: string; at: number; status: number };

/** Everything that really happened in a run, as somebody sees it who sees all: the checkers judge by it alone. */
export type Observations = {
  commits: Commit[];
  pushes: PushAttempt[];
  jobsSent: JobSent[];
  jobRuns: JobRun[];
  jobsDead: { check_id: string; slot: number }[];
  probes: ProbeSeen[];
  received: Received[];
  /** Time in which the whole service stood still, epoch ms. */
  outages: { from: number; to: number }[];
  /** Fault counts by kind. */
  faults: Record<string, number>;
  /** The table as it stands now, by `pk|sk`. */
  table: Map<string, Item>;
  /** Orders everything that is observed. */
  next(): number;
};

export const keyText = ({ pk, sk }: Key): string => `${pk}|${sk}`;

export function makeObservations(): Observations {
  let n = 0;
  return {
    commits: [],
    pushes: [],
    jobsSent: [],
    jobRuns: [],
    jobsDead: [],
    probes: [],
    received: [],
    outages: [],
    faults: {},
    table: new Map(),
    next: () => ++n,
  };
}

export const count = (seen: Observations, fault: string): void => {
  seen.faults[fault] = (seen.faults[fault] ?? 0) + 1;
};
