import type { FunctionName } from '#infra/topology.ts';
import type { Item, Key } from '#lib/platform/ports.ts';
import type { Lineage } from '#test/support/lineage.ts';

/** One item as a commit left it; `before` and `after` are undefined where there is none. */
export type Change = { key: Key; before: Item | undefined; after: Item | undefined };
export type Commit = { n: number; at: number; changes: Change[]; run: number | undefined };

/**
 * One time that a function was called; its number is the `run` of all that it does. `aborted_at`: its time was over and
 * its signal said so.
 */
export type FunctionRun = {
  id: number;
  function: FunctionName;
  /** The chain of messages that led to it, with this time. */
  lineage: Lineage;
  began_at: number;
  ended: boolean;
  aborted_at?: number;
};

/** One request of an agent. `n` orders it among the commits. */
export type PushAttempt = {
  check_id: string;
  /** What the agent means by it: attempts of one push share it. */
  push: number;
  identified: boolean;
  body: { success: boolean; latency_ms: number } | undefined;
  started_n: number;
  started_at: number;
  answered?: { n: number; at: number; status: number; result_id?: string };
  /** The store answered it twice: whether it was first is not known any more. */
  replayed: boolean;
};

/** One time that a function took a job. `done_at` is absent while it is at it and when it died. */
export type JobRun = { check_id: string; slot: number; began_at: number; done_at?: number };
export type JobSent = { check_id: string; slot: number; at: number };
/**
 * One request to a target. `ended_at` is absent while it lasts; `silent`: no answer came. `own_resolver`: our own DNS
 * server was asked, whose memory says nothing of the network.
 */
export type ProbeSeen = {
  process: number;
  run: number | undefined;
  host: string;
  at: number;
  timeout_ms: number;
  ended_at?: number;
  success: boolean;
  silent: boolean;
  /** Whoever asked saw no answer in time. */
  interrupted?: boolean;
  own_resolver: boolean;
};
/** One time that a process asked the witness. */
export type Look = { process: number; at: number; ended_at?: number; heard: boolean };
/** One alert that reached a receiver; `status` is what that answered (200 for NATS), 0 for nothing. */
export type Received = {
  delivery_id: string;
  kind: string;
  /** The channel's type, and what whoever reads it takes from it: up, down, closed, test, or garbled. */
  type: string;
  says: string;
  at: number;
  status: number;
  run: number | undefined;
};
export const isTaken = ({ status }: Received): boolean => status >= 200 && status < 300;

/** One time that an action's call reached its target; `status` is what that answered, 0 for nothing. */
export type Call = { n: number; execution_id: string; at: number; status: number; run: number | undefined };
/** What a pipeline reported of its run; `status_code` is how the last try was answered, if it was. */
export type Reported = { execution_id: string; status?: string; lines: string[]; status_code?: number };

/** [from, to) in epoch ms; `error` is how the silence shows. */
export type NetworkSpell = { from: number; to: number; silences: 'network' | 'targets'; error: 'dns' | 'timeout' };

/** Time in which the store refuses most calls (throttling), or every write (the disk is full); epoch ms. */
export type StoreSpell = { from: number; to: number; kind: 'throttling' | 'disk full' };

/**
 * Time in which the account was disabled (epoch ms): surely from `done` to `to`, and perhaps from `from` to `over`.
 * `enabled_at` is how the account says it.
 */
export type Stop = { from: number; done: number; to: number; over: number; enabled_at: number };

/** Everything that really happened in a run, as somebody sees it who sees all: the checkers judge by it alone. */
export type Observations = {
  commits: Commit[];
  runs: Map<number, FunctionRun>;
  pushes: PushAttempt[];
  jobsSent: JobSent[];
  jobRuns: JobRun[];
  jobsDead: { check_id: string; slot: number }[];
  probes: ProbeSeen[];
  looks: Look[];
  received: Received[];
  calls: Call[];
  reports: Reported[];
  /** A slot of a scheduled action, each time that a function took it; `done_at` as with jobs. */
  actionRuns: { action_id: string; slot: number; done_at?: number }[];
  /** Time in which the whole service stood still, epoch ms. `suspended`: it went on afterwards where it had been. */
  outages: { from: number; to: number; suspended?: true }[];
  /** Time in which the event loop of every process stood still, epoch ms; ascending. */
  stalls: { from: number; to: number }[];
  storeSpells: StoreSpell[];
  /** What a function did wrong with a batch, in a sentence. */
  batches: string[];
  /** Time in which nothing answered that is not ours: on `network` not even the witness. */
  spells: NetworkSpell[];
  stops: Stop[];
  /** What MCP said of the state of everything. */
  statuses: { total: number; sum: number }[];
  /** When the newest push of a check was received, by the key of the check. */
  newestPush: Map<string, number>;
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
    runs: new Map(),
    pushes: [],
    jobsSent: [],
    jobRuns: [],
    jobsDead: [],
    probes: [],
    looks: [],
    received: [],
    calls: [],
    reports: [],
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

/** For how long the processes stood still between two times (ms). */
export const stalledBetween = ({ stalls }: Observations, from: number, to: number): number =>
  stalls.reduce((sum, stall) => sum + Math.max(0, Math.min(to, stall.to) - Math.max(from, stall.from)), 0);
