import type { CheckItem, OpenRun } from '#lib/checks/check-item.ts';
import { isCronDue, isOnCalendarDue } from './due-at.ts';

/**
 * The rules of missed heartbeats, implemented from docs/use/heartbeats.md and not from the code. Times are epoch ms.
 */

type Config = {
  schedule?: string;
  timezone?: string;
  grace_seconds?: number;
  max_run_seconds?: number;
  expect_first_within_seconds?: number;
};

const configOf = (check: CheckItem) => check.config as Config;

export const graceOf = (check: CheckItem): number => {
  const { grace_seconds, schedule } = configOf(check);
  return 1000 * (grace_seconds ?? (schedule === undefined ? 2 * check.interval_seconds : 3600));
};

export const maxRunOf = (check: CheckItem): number => {
  const { max_run_seconds } = configOf(check);
  return max_run_seconds === undefined ? graceOf(check) : 1000 * max_run_seconds;
};

/** Returns the time at which a job run is overdue, but not before the last change of the settings. */
export const overrunsAt = (check: CheckItem, { started_at }: OpenRun): number =>
  Math.max(started_at + maxRunOf(check), check.settings_at);

const firstOf = (check: CheckItem): number => 1000 * (configOf(check).expect_first_within_seconds ?? 0);

/** Whether the first heartbeat can be late. */
export const awaitsFirst = (check: CheckItem): boolean => firstOf(check) > 0;

const MINUTE_MS = 60_000;
/** Length of the time range, from a full hour, in which due times are searched (ms). It suffices for simulations. */
const SPAN_MS = 3 * 60 * MINUTE_MS;
const known = new Map<string, number[]>();

/** Returns the due times of a schedule in the three hours after `hour`, found minute by minute. */
function dueTimesFrom({ schedule = '', timezone = 'UTC' }: Config, hour: number): number[] {
  const name = [schedule, timezone, hour].join('|');
  const found = known.get(name);
  if (found) return found;
  const [, text = '', own = timezone] = /^(.*?)(?: ([A-Z][a-z]+\/\w+))?$/.exec(schedule)!;
  const isDue = text.split(' ').length === 5 ? isCronDue : isOnCalendarDue;
  const second = Number(/:\d\d:(\d\d)$|:[^:]+:(\d\d)$/.exec(text)?.slice(1).find(Boolean) ?? 0);
  const times: number[] = [];
  for (let at = hour + second * 1000; at < hour + SPAN_MS; at += MINUTE_MS) if (isDue(text, own, at)) times.push(at);
  known.set(name, times);
  return times;
}

/** Returns the first due time after `since`; Infinity: none in the next two hours. */
export function dueAfter(check: CheckItem, since: number): number {
  const hour = Math.floor(since / (60 * MINUTE_MS)) * 60 * MINUTE_MS;
  return dueTimesFrom(configOf(check), hour).find((due) => due > since) ?? Number.POSITIVE_INFINITY;
}

/**
 * Returns the failure time of a check if time counts from `since`, such as a heartbeat or the end of an outage.
 */
export const failsAfter = (check: CheckItem, since: number, isHeartbeat = false): number =>
  check.last_received === undefined && check.missed_at === undefined
    ? firstFails(check, since)
    : failsWithout(check, since, isHeartbeat ? since : undefined);

/** Returns the failure time of a check that never had a heartbeat; Infinity if its first one cannot be late. */
const firstFails = (check: CheckItem, since: number): number =>
  awaitsFirst(check) ? since + firstOf(check) : Number.POSITIVE_INFINITY;

/**
 * Returns the failure time of a check if no further heartbeat arrives.
 * @param heartbeat time of the last heartbeat, if it can be an early one for the next due time
 */
function failsWithout(check: CheckItem, since: number, heartbeat: number | undefined): number {
  if (configOf(check).schedule === undefined) return since + graceOf(check);
  const due = dueAfter(check, since);
  const early = heartbeat === undefined ? Number.POSITIVE_INFINITY : due - heartbeat;
  const isMet = early <= MINUTE_MS && early <= (dueAfter(check, due) - due) / 2;
  return (isMet ? dueAfter(check, due) : due) + graceOf(check);
}

/**
 * Returns the next failure time of a check, by all known facts; Infinity: never.
 * @param since start of the time that counts
 * @param heartbeat time of the last heartbeat; undefined before the first
 */
export function failsNext(
  check: CheckItem,
  since: number,
  heartbeat: number | undefined,
  monitoredSince: number,
): number {
  const open = (check.runs ?? []).filter((run) => !run.overrun && run.received_at >= monitoredSince);
  if (open.length > 0) return Math.min(...open.map((run) => overrunsAt(check, run)));
  const failed = check.missed_at !== undefined && check.missed_at >= since ? check.missed_at : undefined;
  if (heartbeat === undefined && check.missed_at === undefined) return firstFails(check, since);
  const fresh = failsWithout(check, since, heartbeat);
  if (failed === undefined) return fresh;
  const { schedule } = configOf(check);
  const next =
    schedule === undefined
      ? failed + check.interval_seconds * 1000
      : dueAfter(check, failed - graceOf(check)) + graceOf(check);
  return Math.max(fresh, next);
}

/** Whether a missed heartbeat that is recorded late can have the failure time `at` instead of the earlier `first`. */
export function isMissedLater(check: CheckItem, first: number, at: number): boolean {
  if (configOf(check).schedule === undefined) return (at - first) % (check.interval_seconds * 1000) === 0;
  return dueAfter(check, at - graceOf(check) - 1) === at - graceOf(check);
}
