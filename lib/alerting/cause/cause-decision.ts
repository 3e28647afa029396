import { isRecentlyNotified, lastNotifiedAt, type NotifiedFailure } from '#lib/alerting/decide/notified-failure.ts';
import type { OpenWindow } from '#lib/alerting/policy/policy.ts';
import { pastOrZero } from '#lib/platform/time.ts';
import type { CauseAnalysis } from './root-causes.ts';

/** What is remembered of a failure whose alert is held until its cause is known. Times in epoch ms. */
export type CauseProgress = {
  /** How often it was found to be explained, in a row. */
  explained: number;
  /** The root under which it was withheld last. */
  under: string | null;
  /** Once nothing explained it any more: when that was found, and when an upstream entity recovered last. */
  recovered: { first: number; last: number } | null;
};

export const NO_PROGRESS: CauseProgress = { explained: 0, under: null, recovered: null };

/** What a look at a held failure goes by. Times in epoch ms. */
type CauseInput = {
  hold: CauseProgress;
  verdict: CauseAnalysis;
  /** Destinations that were not told yet. */
  waiting: readonly string[];
  /** Those of them that were paged so often lately that all is low. */
  busy?: ReadonlySet<string>;
  /** By root. */
  incidents: ReadonlyMap<string, NotifiedFailure>;
  /** The failure itself, where others follow from it: they may have named it before. */
  own?: NotifiedFailure | undefined;
  /** Roots whose alert is held itself, and will be decided: when it is looked at next. */
  pending: ReadonlyMap<string, number>;
  /** Roots in a maintenance window that includes what depends on them. */
  windows: ReadonlyMap<string, OpenWindow>;
  /** When upstream entities recovered, as far as that is known. */
  recoveries: ReadonlyMap<string, number>;
  /** When the check went down. */
  down_at: number;
  cooldown_ms: number;
  /** How long it takes the check at most to find out that all is well again. */
  settle_ms: number;
  /** When the first run of the check is over that begins at or after a time. */
  judgedBy: (time: number) => number;
  now: number;
};

/** What a look at a held failure comes to. */
export type CauseDecision = {
  /** Destinations that are alerted now; `low`: they were alerted of the same incident a moment ago. */
  tell: { destination: string; urgency: 'high' | 'low' }[];
  /** The cause that the alert names. */
  root: string | null;
  /** Destinations that wait on. */
  wait: string[];
  hold: CauseProgress;
  /** Epoch ms; undefined when nobody waits. */
  look_at: number | undefined;
  /** All that explains it is planned: it waits for the end of this. */
  window?: OpenWindow;
};

/** A root that is only suspected is looked at soon; one that is confirmed less and less often. */
const SUSPECTED_MS = 15_000;
const CONFIRMED_MS = [60_000, 120_000, 300_000];
/** How soon one is looked at after its root, which has not been decided on; and how late, as that may be woken. */
const PENDING_MS = 5_000;
const MAX_PENDING_MS = 60_000;
/** What goes down so soon after the recovery of what it depends on may still follow from that. */
const AFTERMATH_MS = 300_000;
/** However many recover one after the other, nobody waits longer than this from the first. */
const MAX_SETTLING_MS = 600_000;
/** Settling takes at least so long, as caches and pools of connections do. */
export const MIN_SETTLING_MS = 60_000;

/** Whether a destination knows of an incident: since it began, or a short time before, as one that flaps. */
const isTold = (incident: NotifiedFailure, destination: string, cooldown_ms: number, now: number): boolean => {
  const at = pastOrZero(lastNotifiedAt(incident, destination) ?? 0, now);
  return at > 0 && (at >= incident.since || at > now - cooldown_ms);
};

/**
 * Pure: what becomes of a held failure. Explained, each destination hears of it once by its root: one that has not is
 * alerted at once, with the root named; for one that has it is withheld. Where the roots fail by planned work that
 * includes it, nobody is alerted before the end of that. Once what explained it has recovered, it gets the time to
 * recover as well, and its own next run decides. What nothing explains is alerted at once.
 */
export function decideByCause(sight: CauseInput): CauseDecision {
  const { verdict, hold } = sight;
  if (verdict.explained) return explained(sight);
  const recovered = recoveryOf(sight);
  if (!recovered) return alertAll(sight, hold);
  const due = Math.min(recovered.last + sight.settle_ms, recovered.first + MAX_SETTLING_MS);
  const next: CauseProgress = { ...hold, explained: 0, recovered };
  const waiting = sight.waiting.filter((one) => hold.under !== null || knowsOfRecent(sight, one));
  const judged = sight.judgedBy(due);
  return sight.now < judged ? { ...alertSome(sight, next, waiting), look_at: judged } : alertAll(sight, next);
}

function explained(sight: CauseInput): CauseDecision {
  const { verdict, hold, waiting, incidents, pending, windows, now, cooldown_ms } = sight;
  const root = verdict.roots.find(({ entity_id }) => !windows.has(entity_id)) ?? verdict.roots[0]!;
  const window = windows.get(root.entity_id);
  const incident = incidents.get(root.entity_id);
  const next: CauseProgress = {
    explained: hold.explained + 1,
    under: root.entity_id,
    recovered: null,
  };
  const waitOn = (look_at: number): CauseDecision => ({
    ...{ tell: [], root: null, wait: [...waiting], hold: { ...next, explained: 0 }, look_at },
  });
  if (window) return { ...waitOn(sight.judgedBy(window.until)), window };
  const decided = pending.get(root.entity_id);
  if (decided !== undefined) return waitOn(Math.min(Math.max(decided, now), now + MAX_PENDING_MS) + PENDING_MS);
  const told = waiting.filter((one) => incident && isTold(incident, one, cooldown_ms, now));
  const untold = waiting.filter((one) => !told.includes(one));
  const again = root.confirmed ? CONFIRMED_MS[Math.min(hold.explained, CONFIRMED_MS.length - 1)]! : SUSPECTED_MS;
  // What was told before this incident began counts only for a while.
  const times = told.flatMap((one) => lastNotifiedAt(incident, one) ?? []);
  const ends = times.filter((at) => at < incident!.since).map((at) => at + cooldown_ms);
  return {
    tell: untold.map((destination) => ({ destination, urgency: urgencyFor(sight, destination) })),
    root: root.entity_id,
    wait: told,
    hold: next,
    look_at: told.length > 0 ? Math.min(now + again, ...ends) : undefined,
  };
}

/** When what explained the failure recovered, or what may have caused it; null when there is nothing to wait for. */
function recoveryOf({
  hold,
  verdict,
  recoveries,
  incidents,
  waiting,
  down_at,
  ...sight
}: CauseInput): CauseProgress['recovered'] {
  if (hold.under !== null) {
    const failed = new Set(verdict.ancestors.flatMap((one) => (one.status === 'failed' ? [one.entity_id] : [])));
    const times = [...recoveries].flatMap(([id, at]) => (failed.has(id) ? [] : [at]));
    const last = Math.max(hold.recovered?.last ?? sight.now, ...times);
    return { first: hold.recovered?.first ?? last, last };
  }
  const recent = [...incidents.values()].filter(
    (one) =>
      isRecent(one, down_at) && waiting.some((destination) => isTold(one, destination, sight.cooldown_ms, sight.now)),
  );
  const times = recent.map((one) => one.recovered_at!);
  return times.length > 0 ? { first: Math.min(...times), last: Math.max(...times) } : null;
}

const isRecent = ({ recovered_at }: NotifiedFailure, down_at: number): boolean =>
  recovered_at !== undefined && recovered_at <= down_at && down_at - recovered_at < AFTERMATH_MS;

const knowsOfRecent = ({ incidents, down_at, cooldown_ms, now }: CauseInput, destination: string): boolean =>
  [...incidents.values()].some((one) => isRecent(one, down_at) && isTold(one, destination, cooldown_ms, now));

const alertAll = (sight: CauseInput, hold: CauseProgress): CauseDecision => alertSome(sight, hold, []);

/** Alerts all destinations but some that wait on. */
function alertSome(sight: CauseInput, hold: CauseProgress, wait: string[]): CauseDecision {
  const tell = sight.waiting
    .filter((one) => !wait.includes(one))
    .map((destination) => ({ destination, urgency: urgencyFor(sight, destination) }));
  return { tell, root: null, wait, hold, look_at: undefined };
}

/** Low for whoever was alerted a moment ago of what this belongs to. */
function urgencyFor({ verdict, hold, incidents, own, busy, now }: CauseInput, destination: string): 'high' | 'low' {
  if (busy?.has(destination)) return 'low';
  const roots = [...verdict.roots, ...verdict.survived].map((root) => root.entity_id);
  const concerned = [...roots, ...(hold.under === null ? [] : [hold.under])].map((root) => incidents.get(root));
  return [own, ...concerned].some((one) => isRecentlyNotified(one, destination, now)) ? 'low' : 'high';
}
