import type { FunctionName } from '#infra/topology.ts';
import { type AlertItem, isAlert } from '#lib/alerting/decide/alert-item.ts';
import type { DeliveryItem } from '#lib/alerting/notify/delivery-item.ts';
import type { CheckItem } from '#lib/checks/check-item.ts';
import { CHECKS, cellOf, type Keys } from '#lib/keys.ts';
import type { Item, Key } from '#lib/platform/ports.ts';
import type { Lineage } from '#test/support/lineage.ts';
import type { Call, PingAttempt, PushAttempt, Received, Reported, Span } from './history.ts';

/** A simulated run of the service with its internals. `quiet`: the service has no faults. */
export type Inside = {
  seen: Seen;
  profile: { quiet: boolean; jumpMs: number };
  keys: Keys;
  /** Time from which the service has no faults. */
  calmFrom: number;
  end: number;
  /** Data that the API returns for each check at the end, by its id. */
  shown: Map<string, Shown>;
};

/** All results of a check, newest first, its gaps, and explanations of some times. */
export type Shown = {
  results: { id: string; success: boolean }[];
  gaps: Span[];
  explained: { at: number; verdict: string; sentence: string; transition_id: string | undefined }[];
};

/** An item before and after a commit; `before` and `after` are undefined if it does not exist. */
export type Change = { key: Key; before: Item | undefined; after: Item | undefined };
export type Commit = { n: number; at: number; changes: Change[]; run: number | undefined };

/**
 * An invocation of a function; its id is the `run` of all that it does. `aborted_at`: time at which it timed out and
 * its signal was aborted.
 */
export type FunctionRun = {
  id: number;
  function: FunctionName;
  /** The chain of messages that led to it, including this invocation. */
  lineage: Lineage;
  began_at: number;
  ended: boolean;
  aborted_at?: number;
};

/**
 * The content of a job: the checks of a cell with an interval, or only some of them, at a slot (epoch ms); or a retry
 * of one of them after the slot.
 */
export type JobSeen = {
  cell: string;
  interval_seconds: number;
  slot: number;
  only?: string[] | undefined;
  retry?: { at: number } | undefined;
};
/** A job that a function processed. `done_at` is absent while it runs and after it died. */
export type JobProcessed = JobSeen & { began_at: number; done_at?: number };
export type JobSent = JobSeen & { at: number };
/**
 * One request to a target. `ended_at` is absent while it lasts; `isUnanswered`: no response came. `service_resolver`:
 * it used the resolver of the service, whose cached responses show nothing about the network.
 */
export type ProbeSeen = {
  process: number;
  run: number | undefined;
  host: string;
  at: number;
  timeout_ms: number;
  ended_at?: number;
  success: boolean;
  isUnanswered: boolean;
  /** Whether the probe was cut off, so that its target could still have responded. */
  interrupted?: boolean;
  service_resolver: boolean;
};
/** A request to the reference host. */
export type ReferenceProbe = { process: number; at: number; ended_at?: number; isAnswered: boolean };
/** `type` is that of the channel, `says` the content for a reader: up, down, closed, test, update, or garbled. */
export type SeenAlert = Received & { kind: string; type: string; says: string; run: number | undefined };
export type SeenCall = Call & { run: number | undefined };

/** Time in which hosts do not respond: [from, to) in epoch ms. `error`: kind of the error that a request then gets. */
export type NetworkSpell = { from: number; to: number; unresponsive: 'network' | 'targets'; error: 'dns' | 'timeout' };

/** Time in which the store rejects most calls (throttling), or every write (the disk is full); epoch ms. */
export type StoreSpell = { from: number; to: number; kind: 'throttling' | 'disk full' };

/**
 * Time in which an account, `tenant`, was disabled (epoch ms): certainly from `done` to `to`, and possibly from `from`
 * to `over`. `enabled_at`: time of enabling in the account item.
 */
export type DisabledTime = { tenant: string; from: number; done: number; to: number; over: number; enabled_at: number };

/** All facts of a simulation. */
export type Seen = {
  commits: Commit[];
  runs: Map<number, FunctionRun>;
  pushes: PushAttempt[];
  /** Acknowledged starts of job runs; `n`: sequence number after the response. */
  starts: { check_id: string; started_at: number; n: number }[];
  pings: PingAttempt[];
  jobsSent: JobSent[];
  jobsProcessed: JobProcessed[];
  jobsDead: JobSeen[];
  /** Searches with slow expressions, which only the second tenant has (neighbor.ts); `used_ms`: CPU time. */
  searches: { process: number; at: number; used_ms: number }[];
  probes: ProbeSeen[];
  referenceProbes: ReferenceProbe[];
  received: SeenAlert[];
  calls: SeenCall[];
  reports: Reported[];
  /** Manual runs of checks that returned 201, with the response. */
  manualRuns: { check_id: string; answer: { id: string; success: boolean; check_state: string } }[];
  /** Requests that created or replaced a check by its slug, with the status 201 or 200. */
  applied: { slug: string; status: number; id: string; replayed: boolean }[];
  /** Slots of scheduled actions, an entry per function run that processed the slot; `done_at` as for jobs. */
  actionRuns: { action_id: string; slot: number; done_at?: number }[];
  /** Time in which the whole service was down, epoch ms. `suspended`: work in progress continued afterwards. */
  outages: (Span & { suspended?: true })[];
  /** Time in which the event loop of every process was stalled, epoch ms; ascending. */
  stalls: Span[];
  storeSpells: StoreSpell[];
  /** Incorrect responses of functions to batches, one sentence each. */
  batchErrors: string[];
  /** Time in which no external host responded: for `network` not even the reference host. */
  spells: NetworkSpell[];
  stops: DisabledTime[];
  /** Status summaries returned over MCP. */
  statuses: { total: number; sum: number }[];
  /** Fault counts by kind. */
  faults: Record<string, number>;
  /** The current table, by `pk|sk`. */
  table: Map<string, Item>;
};

export const keyText = ({ pk, sk }: Key): string => `${pk}|${sk}`;

/** Whether the key is that of a check. */
export const isCheckKey = ({ sk }: Key): boolean => sk.startsWith(CHECKS);
/** Returns the check that a key belongs to: the check itself, or the parent of the item. */
export const checkIdOf = (key: Key): string =>
  isCheckKey(key) ? key.sk.slice(CHECKS.length) : key.pk.split('#').at(-1)!;

/** Returns the checks of a table. */
export const checksIn = ({ table }: Pick<Seen, 'table'>): CheckItem[] =>
  [...table.values()].filter((item): item is CheckItem => isCheckKey(item));

/** Whether a job probes a check with the given interval at the slot of the job; a retry does not. */
export const isJobOf = (job: JobSeen, { id, interval_seconds }: Pick<CheckItem, 'id' | 'interval_seconds'>): boolean =>
  !job.retry &&
  job.cell === cellOf(id) &&
  job.interval_seconds === interval_seconds &&
  (job.only?.includes(id) ?? true);

/** Returns the time for which processes were stalled in a range (ms). */
export const stalledBetween = ({ stalls }: Pick<Seen, 'stalls'>, from: number, to: number): number =>
  stalls.reduce((sum, stall) => sum + Math.max(0, Math.min(to, stall.to) - Math.max(from, stall.from)), 0);

/** Returns the time within a range for which the machine slept or its event loop stalled (ms). */
export function sleptIn(seen: Pick<Seen, 'stalls' | 'outages'>, from: number, to: number): number {
  const parts = seen.outages
    .filter(({ suspended }) => suspended)
    .map((one) => Math.min(one.to, to) - Math.max(one.from, from));
  return stalledBetween(seen, from, to) + parts.reduce((sum, ms) => sum + Math.max(0, ms), 0);
}

/** Returns all deliveries. */
export const deliveriesIn = ({ table }: Pick<Seen, 'table'>): DeliveryItem[] =>
  [...table.values()].filter((item): item is DeliveryItem => item.pk.includes('#DELIVERIES#'));

/** Returns the failed deliveries by id. */
export const failedIn = (seen: Pick<Seen, 'table'>): Map<string, DeliveryItem> =>
  new Map(deliveriesIn(seen).flatMap((one) => (one.status === 'failed' ? [[one.id, one]] : [])));

/** Returns the alerts that a commit plans. */
export const alertsIn = ({ changes }: Commit): AlertItem[] =>
  changes.flatMap(({ before, after }) => (!before && after && isAlert(after) ? [after] : []));

/** Returns all changes in order, each with its commit. */
export const changesIn = ({ commits }: Seen): (Change & { commit: Commit })[] =>
  commits.flatMap((commit) => commit.changes.map((change) => ({ ...change, commit })));

/** Settings of a check in [from, to); no check: it was deleted. */
export type Settings = Span & { check: CheckItem | undefined };

/** Returns all settings of each check in order, by its id. */
export function settingsIn(seen: Seen): Map<string, Settings[]> {
  const settings = new Map<string, Settings[]>();
  for (const { key, before, after, commit } of changesIn(seen)) {
    const [old, check] = [before, after] as (CheckItem | undefined)[];
    if (!isCheckKey(key) || old?.rev === check?.rev) continue;
    const list = settings.get((check ?? old)!.id) ?? [];
    const last = list.at(-1);
    if (last) last.to = commit.at;
    list.push({ from: commit.at, to: Number.POSITIVE_INFINITY, check });
    settings.set((check ?? old)!.id, list);
  }
  return settings;
}
