import { type PushConfig, zoneOf } from '#lib/checks/types/push.ts';
import { pastOrZero } from '#lib/platform/time.ts';
import { type Calendar, dueTimes, nextDue, parseCalendar, wallClock } from '#lib/schedule/calendar/calendar.ts';
import type { CheckItem, OpenRun } from './check-item.ts';

/** What the settings of a push check say of its silence, defaults filled in; times in ms. */
type HeartbeatRules = {
  calendar: Calendar | undefined;
  zone: string;
  interval: number;
  /** Without a calendar counted from the last sign of life, with one from the due time. */
  grace: number;
  maxRun: number;
  /** How long a first sign of life may take; 0: as long as it likes. */
  first: number;
};

const GRACE_OF_SCHEDULE = 3600;

export function heartbeatRules(check: Pick<CheckItem, 'config' | 'interval_seconds'>): HeartbeatRules {
  // Stored settings have passed the schema of their type.
  const { schedule, grace_seconds, max_run_seconds, expect_first_within_seconds = 0 }: PushConfig = check.config;
  const grace = grace_seconds ?? (schedule === undefined ? 2 * check.interval_seconds : GRACE_OF_SCHEDULE);
  const zone = zoneOf(check.config);
  return {
    calendar: schedule === undefined ? undefined : parseCalendar(schedule, zone),
    zone,
    interval: 1000 * check.interval_seconds,
    grace: 1000 * grace,
    maxRun: 1000 * (max_run_seconds ?? grace),
    first: 1000 * expect_first_within_seconds,
  };
}

/** What the deadline of silence of a push check follows from. */
type Watched = Pick<CheckItem, 'config' | 'interval_seconds' | 'settings_at' | 'silence_at' | 'runs'>;

/** When (epoch ms) a push check fails if nothing comes, and for what. */
export type HeartbeatDeadline = { at: number } & (
  | { misses: 'end of a run'; started_at: number }
  | { misses: 'first sign' }
  | { misses: 'due time'; due: number }
  | { misses: 'any sign'; since: number }
);

/** What is known of a check's signs of life and of our watch; epoch ms. */
export type LastHeartbeat = {
  /** Arrival of the newest push that counts; undefined before the first. */
  last: number | undefined;
  /** Silence before our last outage or the account's enabling does not count. */
  watchedSince: number;
};

/** A sign of life so soon before a due time (ms) is the one expected then: the clock of its machine is fast. */
const EARLY_MS = 60_000;

/**
 * Pure: the deadline of silence (docs/use/heartbeats.md#missed-heartbeats); undefined where nothing is expected.
 * Silence counts from the newest sign of life, a change of settings or our last outage, whichever is latest. 1. A run
 * is open: the earliest has so long as a run may take. A job that runs is not late. Settings that give it less    than
 * it has taken fail it when they are made: no failure is older than its settings. 2. Nothing ever came: so long as the
 * first sign may take, if that is limited. 3. A schedule: the grace after the first due time since then. 4. Else the
 * grace since then. After a failure the next one is due at the next due time, or an interval later.
 */
export function heartbeatDeadline(check: Watched, heard: LastHeartbeat, now: number): HeartbeatDeadline | undefined {
  const rules = heartbeatRules(check);
  const [oldest] = openRuns(check, heard, now);
  const settled = pastOrZero(check.settings_at, now);
  if (oldest) {
    const { started_at } = oldest;
    return { misses: 'end of a run', started_at, at: Math.max(started_at + rules.maxRun, settled) };
  }
  const sign = lastSign(check, heard, now);
  const since = Math.max(sign ?? 0, settled, heard.watchedSince);
  const failed = pastOrZero(check.silence_at ?? 0, now);
  const goesOn = failed > 0 && failed >= since;
  if (sign === undefined && failed === 0)
    return rules.first > 0 ? { misses: 'first sign', at: since + rules.first } : undefined;
  if (rules.calendar) return missesDueTime(rules.calendar, rules, { since, sign, failed: goesOn ? failed : undefined });
  const at = Math.max(since + rules.grace, goesOn ? failed + rules.interval : 0);
  return { misses: 'any sign', since, at };
}

/** Runs that are held to their time, oldest first: one that was open while nobody watched may have ended then. */
const openRuns = ({ runs = [] }: Watched, { watchedSince }: LastHeartbeat, now: number): OpenRun[] =>
  runs
    .filter(({ overrun, received_at }) => !overrun && pastOrZero(received_at, now) >= Math.max(1, watchedSince))
    .sort((a, b) => a.started_at - b.started_at);

/** Epoch ms of the newest sign of life: a push, or the start of a run. */
function lastSign({ runs = [] }: Watched, { last }: LastHeartbeat, now: number): number | undefined {
  const signs = [...runs.map(({ received_at }) => pastOrZero(received_at, now)), ...(last === undefined ? [] : [last])];
  return signs.length > 0 ? Math.max(...signs) : undefined;
}

function missesDueTime(
  calendar: Calendar,
  { grace }: HeartbeatRules,
  { since, sign, failed }: { since: number; sign: number | undefined; failed: number | undefined },
): HeartbeatDeadline | undefined {
  const expected = expectedAfter(calendar, since, sign);
  if (expected === undefined) return undefined;
  const next = failed === undefined ? expected : nextDue(calendar, failed - grace);
  if (next === undefined) return undefined;
  const due = Math.max(expected, next);
  return { misses: 'due time', due, at: due + grace };
}

/** The first due time that a sign of life has not met already. */
function expectedAfter(calendar: Calendar, since: number, sign: number | undefined): number | undefined {
  const due = nextDue(calendar, since);
  if (due === undefined || sign === undefined || due - sign > EARLY_MS) return due;
  const following = nextDue(calendar, due);
  return following !== undefined && due - sign > (following - due) / 2 ? due : following;
}

/**
 * Pure: the deadline that a failure judged at `now` stands for: the newest of its kind, which covers those before.
 */
export function latestMissed(check: Watched, deadline: HeartbeatDeadline, now: number): HeartbeatDeadline {
  const { calendar, interval, grace } = heartbeatRules(check);
  if (deadline.misses === 'any sign')
    return { ...deadline, at: deadline.at + Math.floor((now - deadline.at) / interval) * interval };
  if (deadline.misses !== 'due time' || !calendar) return deadline;
  let latest = deadline.due;
  for (const due of dueTimes(calendar, latest)) {
    if (due + grace > now) break;
    latest = due;
  }
  return { misses: 'due time', due: latest, at: latest + grace };
}

/**
 * Pure: what a failure leaves on the check: its time, and the runs that have overrun by then, which are open no more,
 * but still measured.
 */
export function afterMissed(check: Watched, missed: HeartbeatDeadline): Pick<CheckItem, 'silence_at' | 'runs'> {
  const { at } = missed;
  const { runs } = check;
  if (missed.misses !== 'end of a run' || !runs) return { silence_at: at };
  const { maxRun } = heartbeatRules(check);
  const isOver = ({ started_at }: OpenRun) => started_at + maxRun <= at;
  return { silence_at: at, runs: runs.map((run) => (isOver(run) ? { ...run, overrun: true } : run)) };
}

/** Pure: when (epoch ms) a check is down if nothing comes any more; undefined when it is already, or never. */
export function downAt(
  check: Watched & Pick<CheckItem, 'state' | 'consecutive_failures' | 'failure_threshold'>,
  heard: LastHeartbeat,
  now: number,
): number | undefined {
  if (check.state === 'down') return undefined;
  let [present, at]: [Watched, number] = [check, now];
  const missing = Math.max(1, check.failure_threshold - check.consecutive_failures);
  for (let failures = 0; failures < missing; failures++) {
    const deadline = heartbeatDeadline(present, heard, Math.max(at, now));
    if (!deadline) return undefined;
    present = { ...present, ...afterMissed(present, deadline) };
    at = deadline.at;
  }
  return at;
}

const seconds = (ms: number): number => Math.floor(ms / 1000);

/**
 * What a failure by silence says; times by the clock of the check's zone.
 * @param last when the newest sign of life came @param now both epoch ms
 */
export function missedMessage(
  check: Pick<CheckItem, 'config' | 'interval_seconds' | 'rev'>,
  missed: HeartbeatDeadline,
  last: number | undefined,
  now: number,
): string {
  const { zone, grace, maxRun, first } = heartbeatRules(check);
  switch (missed.misses) {
    case 'end of a run':
      return `started ${wallClock(zone, missed.started_at)} and not finished within ${seconds(maxRun)} s`;
    case 'first sign':
      return `nothing came within ${seconds(first)} s of its ${check.rev === 1 ? 'creation' : 'last change of settings'}`;
    case 'due time': {
      const heard = last === undefined ? 'none has come yet' : `last ${toMinute(wallClock(zone, last))}`;
      const due = wallClock(zone, missed.due).replace(/:00$/, '');
      return `no sign of life for the run due ${due} ${zone} (grace ${seconds(grace)} s); ${heard}`;
    }
    case 'any sign':
      return `no result for ${seconds(now - missed.since)} s (grace ${seconds(grace)} s)`;
  }
}

const toMinute = (wall: string): string => wall.slice(0, 16);

/** How new a push is, epoch ms: by what it is ordered by, and by its arrival. */
export type Newness = { at: number; received_at: number };

/**
 * The push that a check item remembers; undefined before the first one. After a clock step its times are 0, and the
 * next push is not quiet.
 */
export const storedLastReceived = ({ last_received }: CheckItem, now: number): Newness | undefined =>
  last_received && {
    at: pastOrZero(last_received.at, now),
    received_at: pastOrZero(last_received.received_at, now),
  };
