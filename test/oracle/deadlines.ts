import type { CheckItem, OpenRun } from '#lib/checks/check-item.ts';
import { isCronDue, isOnCalendarDue } from './due-at.ts';

/**
 * The rules of silence once more, written down from docs/use/heartbeats.md and not from the service's code. Epoch ms.
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

/** When a run has taken too long, by settings that stood at that time. */
export const overrunsAt = (check: CheckItem, { started_at }: OpenRun): number =>
  Math.max(started_at + maxRunOf(check), check.settings_at);

const firstOf = (check: CheckItem): number => 1000 * (configOf(check).expect_first_within_seconds ?? 0);

/** Whether a first sign of life may be late. */
export const awaitsFirst = (check: CheckItem): boolean => firstOf(check) > 0;

const MINUTE_MS = 60_000;
/** Farther ahead (ms) no run of a simulation looks. */
const SPAN_MS = 3 * 60 * MINUTE_MS;
const known = new Map<string, number[]>();

/** The due times of a schedule in the hours after one, found minute by minute. */
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

/** The first due time after an instant; Infinity: none in the next two hours. */
export function dueAfter(check: CheckItem, since: number): number {
  const hour = Math.floor(since / (60 * MINUTE_MS)) * 60 * MINUTE_MS;
  return dueTimesFrom(configOf(check), hour).find((due) => due > since) ?? Number.POSITIVE_INFINITY;
}

/** When a check fails, if time counts from `since`: a sign of life, or the end of an outage and the like. */
export const failsAfter = (check: CheckItem, since: number, isSign = false): number =>
  check.last_received === undefined && check.silence_at === undefined
    ? firstFails(check, since)
    : failsSilent(check, since, isSign ? since : undefined);

/** The first sign of life may be late too. */
const firstFails = (check: CheckItem, since: number): number =>
  awaitsFirst(check) ? since + firstOf(check) : Number.POSITIVE_INFINITY;

/** @param sign when its newest sign of life came, where that may be the one that is expected next */
function failsSilent(check: CheckItem, since: number, sign: number | undefined): number {
  if (configOf(check).schedule === undefined) return since + graceOf(check);
  const due = dueAfter(check, since);
  const early = sign === undefined ? Number.POSITIVE_INFINITY : due - sign;
  const isMet = early <= MINUTE_MS && early <= (dueAfter(check, due) - due) / 2;
  return (isMet ? dueAfter(check, due) : due) + graceOf(check);
}

/**
 * When a check fails next, by all that is known of it; Infinity: never.
 * @param since from when on time counts
 * @param sign its newest sign of life; undefined before the first
 */
export function failsNext(check: CheckItem, since: number, sign: number | undefined, watchedSince: number): number {
  const open = (check.runs ?? []).filter((run) => !run.overrun && run.received_at >= watchedSince);
  if (open.length > 0) return Math.min(...open.map((run) => overrunsAt(check, run)));
  const failed = check.silence_at !== undefined && check.silence_at >= since ? check.silence_at : undefined;
  if (sign === undefined && check.silence_at === undefined) return firstFails(check, since);
  const fresh = failsSilent(check, since, sign);
  if (failed === undefined) return fresh;
  const { schedule } = configOf(check);
  const next =
    schedule === undefined
      ? failed + check.interval_seconds * 1000
      : dueAfter(check, failed - graceOf(check)) + graceOf(check);
  return Math.max(fresh, next);
}

/** When a failure is due in place of one that was due at `first`, if it is judged late. */
export function isMissedLater(check: CheckItem, first: number, at: number): boolean {
  if (configOf(check).schedule === undefined) return (at - first) % (check.interval_seconds * 1000) === 0;
  return dueAfter(check, at - graceOf(check) - 1) === at - graceOf(check);
}
