import type { FunctionName } from '#infra/topology.ts';
import { type AlertItem, isAlert } from '#lib/alerting/decide/alert-item.ts';
import type { DeliveryItem } from '#lib/alerting/notify/delivery-item.ts';
import type { CheckItem } from '#lib/checks/check-item.ts';
import { CHECKS, cellOf, type Keys } from '#lib/keys.ts';
import type { Item, Key } from '#lib/platform/ports.ts';
import type { Lineage } from '#test/support/lineage.ts';
import type { Call, PingAttempt, PushAttempt, Received, Reported, Span } from './history.ts';

/** A life of the service in the simulation, seen from inside. `quiet`: nothing of ours fails in it. */
export type Inside = {
  seen: Seen;
  profile: { quiet: boolean; jumpMs: number };
  keys: Keys;
  /** From when on nothing of ours fails any more. */
  calmFrom: number;
  end: number;
  /** What the service shows of each check at the end, by its id. */
  shown: Map<string, Shown>;
};

/** All results of a check, newest first, its gaps, and what is said of some moments. */
export type Shown = {
  results: { id: string; success: boolean }[];
  gaps: Span[];
  explained: { at: number; verdict: string; sentence: string; transition_id: string | undefined }[];
};

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

/**
 * What a job is about: the checks of a cell with an interval, or only some of them, at a slot (epoch ms); or a retry of
 * one behind it.
 */
export type JobSeen = {
  cell: string;
  interval_seconds: number;
  slot: number;
  only?: string[] | undefined;
  retry?: { at: number } | undefined;
};
/** One time that a function took a job. `done_at` is absent while it is at it and when it died. */
export type JobRun = JobSeen & { began_at: number; done_at?: number };
export type JobSent = JobSeen & { at: number };
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
/** One time that a process asked the reference host. */
export type Look = { process: number; at: number; ended_at?: number; heard: boolean };
/** `type` is the channel's, `says` what whoever reads it takes from it: up, down, closed, test, or garbled. */
export type SeenAlert = Received & { kind: string; type: string; says: string; run: number | undefined };
export type SeenCall = Call & { run: number | undefined };

/** [from, to) in epoch ms; `error` is how the silence shows. */
export type NetworkSpell = { from: number; to: number; silences: 'network' | 'targets'; error: 'dns' | 'timeout' };

/** Time in which the store refuses most calls (throttling), or every write (the disk is full); epoch ms. */
export type StoreSpell = { from: number; to: number; kind: 'throttling' | 'disk full' };

/**
 * Time in which an account, `tenant`, was disabled (epoch ms): surely from `done` to `to`, and perhaps from `from` to
 * `over`. `enabled_at` is how the account says it.
 */
export type Stop = { tenant: string; from: number; done: number; to: number; over: number; enabled_at: number };

/** Everything that really happened in a run. */
export type Seen = {
  commits: Commit[];
  runs: Map<number, FunctionRun>;
  pushes: PushAttempt[];
  /** Starts of runs that were answered, `n` after the answer. */
  starts: { check_id: string; started_at: number; n: number }[];
  pings: PingAttempt[];
  jobsSent: JobSent[];
  jobRuns: JobRun[];
  jobsDead: JobSeen[];
  probes: ProbeSeen[];
  looks: Look[];
  received: SeenAlert[];
  calls: SeenCall[];
  reports: Reported[];
  /** Checks that somebody ran by hand, as that was answered with 201. */
  handRuns: { check_id: string; answer: { id: string; success: boolean; check_state: string } }[];
  /** Checks that somebody stated by a slug, as that was answered with 200 or 201. */
  applied: { slug: string; status: number; id: string; replayed: boolean }[];
  /** A slot of a scheduled action, each time that a function took it; `done_at` as with jobs. */
  actionRuns: { action_id: string; slot: number; done_at?: number }[];
  /** Time in which the whole service stood still, epoch ms. `suspended`: it went on afterwards where it had been. */
  outages: (Span & { suspended?: true })[];
  /** Time in which the event loop of every process stood still, epoch ms; ascending. */
  stalls: Span[];
  storeSpells: StoreSpell[];
  /** What a function did wrong with a batch, in a sentence. */
  batches: string[];
  /** Time in which nothing answered that is not ours: on `network` not even the reference host. */
  spells: NetworkSpell[];
  stops: Stop[];
  /** What MCP said of the state of everything. */
  statuses: { total: number; sum: number }[];
  /** Fault counts by kind. */
  faults: Record<string, number>;
  /** The table as it stands now, by `pk|sk`. */
  table: Map<string, Item>;
};

export const keyText = ({ pk, sk }: Key): string => `${pk}|${sk}`;

/** Whether a check stands there. */
export const isCheckKey = ({ sk }: Key): boolean => sk.startsWith(CHECKS);
/** Whose item it is: the check that stands there, or the one that it lies under. */
export const checkIdOf = (key: Key): string =>
  isCheckKey(key) ? key.sk.slice(CHECKS.length) : key.pk.split('#').at(-1)!;

/** The checks of a table. */
export const checksIn = ({ table }: Pick<Seen, 'table'>): CheckItem[] =>
  [...table.values()].filter((item): item is CheckItem => isCheckKey(item));

/** Whether a job is about a check at a slot, as it had this interval. A retry is about none. */
export const isJobOf = (job: JobSeen, { id, interval_seconds }: Pick<CheckItem, 'id' | 'interval_seconds'>): boolean =>
  !job.retry &&
  job.cell === cellOf(id) &&
  job.interval_seconds === interval_seconds &&
  (job.only?.includes(id) ?? true);

/** For how long the processes stood still between two times (ms). */
export const stalledBetween = ({ stalls }: Pick<Seen, 'stalls'>, from: number, to: number): number =>
  stalls.reduce((sum, stall) => sum + Math.max(0, Math.min(to, stall.to) - Math.max(from, stall.from)), 0);

/** All deliveries that there are. */
export const deliveriesIn = ({ table }: Pick<Seen, 'table'>): DeliveryItem[] =>
  [...table.values()].filter((item): item is DeliveryItem => item.pk.includes('#DELIVERIES#'));

/** Those that could not be delivered, by id. */
export const failedIn = (seen: Pick<Seen, 'table'>): Map<string, DeliveryItem> =>
  new Map(deliveriesIn(seen).flatMap((one) => (one.status === 'failed' ? [[one.id, one]] : [])));

/** The alerts that a commit plans. */
export const alertsIn = ({ changes }: Commit): AlertItem[] =>
  changes.flatMap(({ before, after }) => (!before && after && isAlert(after) ? [after] : []));

/** All changes in their order, each with the commit that made it. */
export const changesIn = ({ commits }: Seen): (Change & { commit: Commit })[] =>
  commits.flatMap((commit) => commit.changes.map((change) => ({ ...change, commit })));

/** Settings that a check had in [from, to); no check: it was gone. */
export type Settings = Span & { check: CheckItem | undefined };

/** All settings of each check in their order, by its id. */
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
