import { type PushConfig, zoneOf } from '#lib/checks/types/push.ts';
import { pastOrZero } from '#lib/platform/time.ts';
import { type Calendar, dueTimes, nextDue, parseCalendar, wallClock } from '#lib/schedule/calendar/calendar.ts';
import type { CheckItem, OpenRun } from './check-item.ts';

/** Heartbeat settings of a push check with defaults; times in ms. */
type HeartbeatRules = {
  calendar: Calendar | undefined;
  zone: string;
  interval: number;
  /** Grace time, from the last heartbeat or, with a schedule, from the due time. */
  grace: number;
  maxRun: number;
  /** Maximum time until the first heartbeat; 0: unlimited. */
  first: number;
};

const SCHEDULE_GRACE_SECONDS = 3600;

export function heartbeatRules(check: Pick<CheckItem, 'config' | 'interval_seconds'>): HeartbeatRules {
  const { schedule, grace_seconds, max_run_seconds, expect_first_within_seconds = 0 }: PushConfig = check.config;
  const grace = grace_seconds ?? (schedule === undefined ? 2 * check.interval_seconds : SCHEDULE_GRACE_SECONDS);
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

type PushCheck = Pick<CheckItem, 'config' | 'interval_seconds' | 'settings_at' | 'missed_at' | 'runs'>;

/** Time (epoch ms) at which a push check fails without a heartbeat, and the missing event. */
export type HeartbeatDeadline = { at: number } & (
  | { misses: 'end of a run'; started_at: number }
  | { misses: 'first heartbeat' }
  | { misses: 'due time'; due: number }
  | { misses: 'any heartbeat'; since: number }
);

/** Last heartbeat, and start of monitoring; epoch ms. */
export type LastHeartbeat = {
  /** Arrival of the newest push that counts; undefined before the first. */
  last: number | undefined;
  /** End of the last outage of the service, or enabling of the account: time before it does not count. */
  monitoredSince: number;
};

/** Tolerated earliness of a heartbeat before its due time (ms), for fast client clocks. */
const EARLY_MS = 60_000;

/**
 * Returns the heartbeat deadline by the rules of docs/use/heartbeats.md#missed-heartbeats; undefined if no heartbeat is
 * expected. It is never before the last change of settings, because no failure is older than its settings. Pure.
 */
export function heartbeatDeadline(
  check: PushCheck,
  lastHeartbeat: LastHeartbeat,
  now: number,
): HeartbeatDeadline | undefined {
  const rules = heartbeatRules(check);
  const [oldest] = openRuns(check, lastHeartbeat, now);
  const settingsAt = pastOrZero(check.settings_at, now);
  if (oldest) {
    const { started_at } = oldest;
    return { misses: 'end of a run', started_at, at: Math.max(started_at + rules.maxRun, settingsAt) };
  }
  const heartbeat = lastHeartbeatOf(check, lastHeartbeat, now);
  const since = Math.max(heartbeat ?? 0, settingsAt, lastHeartbeat.monitoredSince);
  const failedAt = pastOrZero(check.missed_at ?? 0, now);
  const isContinued = failedAt > 0 && failedAt >= since;
  if (heartbeat === undefined && failedAt === 0)
    return rules.first > 0 ? { misses: 'first heartbeat', at: since + rules.first } : undefined;
  if (rules.calendar)
    return dueTimeDeadline(rules.calendar, rules, { since, heartbeat, failedAt: isContinued ? failedAt : undefined });
  const at = Math.max(since + rules.grace, isContinued ? failedAt + rules.interval : 0);
  return { misses: 'any heartbeat', since, at };
}

/** Returns the runs whose end is awaited, oldest first. Omits runs open in an outage, because they can have ended. */
const openRuns = ({ runs = [] }: PushCheck, { monitoredSince }: LastHeartbeat, now: number): OpenRun[] =>
  runs
    .filter(({ overrun, received_at }) => !overrun && pastOrZero(received_at, now) >= Math.max(1, monitoredSince))
    .sort((a, b) => a.started_at - b.started_at);

function lastHeartbeatOf({ runs = [] }: PushCheck, { last }: LastHeartbeat, now: number): number | undefined {
  const times = [...runs.map(({ received_at }) => pastOrZero(received_at, now)), ...(last === undefined ? [] : [last])];
  return times.length > 0 ? Math.max(...times) : undefined;
}

function dueTimeDeadline(
  calendar: Calendar,
  { grace }: HeartbeatRules,
  { since, heartbeat, failedAt }: { since: number; heartbeat: number | undefined; failedAt: number | undefined },
): HeartbeatDeadline | undefined {
  const expected = expectedAfter(calendar, since, heartbeat);
  if (expected === undefined) return undefined;
  const next = failedAt === undefined ? expected : nextDue(calendar, failedAt - grace);
  if (next === undefined) return undefined;
  const due = Math.max(expected, next);
  return { misses: 'due time', due, at: due + grace };
}

function expectedAfter(calendar: Calendar, since: number, heartbeat: number | undefined): number | undefined {
  const due = nextDue(calendar, since);
  if (due === undefined || heartbeat === undefined || due - heartbeat > EARLY_MS) return due;
  const following = nextDue(calendar, due);
  return following !== undefined && due - heartbeat > (following - due) / 2 ? due : following;
}

/** Returns the newest passed deadline of the same kind at `now`; one failure reports all earlier ones too. Pure. */
export function latestMissed(check: PushCheck, deadline: HeartbeatDeadline, now: number): HeartbeatDeadline {
  const { calendar, interval, grace } = heartbeatRules(check);
  if (deadline.misses === 'any heartbeat')
    return { ...deadline, at: deadline.at + Math.floor((now - deadline.at) / interval) * interval };
  if (deadline.misses !== 'due time' || !calendar) return deadline;
  let latest = deadline.due;
  for (const due of dueTimes(calendar, latest)) {
    if (due + grace > now) break;
    latest = due;
  }
  return { misses: 'due time', due: latest, at: latest + grace };
}

/** Returns the changes after a missed heartbeat: its time, and overrun runs, marked but kept to be measured. Pure. */
export function afterMissed(check: PushCheck, missed: HeartbeatDeadline): Pick<CheckItem, 'missed_at' | 'runs'> {
  const { at } = missed;
  const { runs } = check;
  if (missed.misses !== 'end of a run' || !runs) return { missed_at: at };
  const { maxRun } = heartbeatRules(check);
  const isOver = ({ started_at }: OpenRun) => started_at + maxRun <= at;
  return { missed_at: at, runs: runs.map((run) => (isOver(run) ? { ...run, overrun: true } : run)) };
}

/** Returns the time (epoch ms) at which a check goes down if no heartbeat arrives; undefined if down or never. Pure. */
export function downAt(
  check: PushCheck & Pick<CheckItem, 'state' | 'consecutive_failures' | 'failure_threshold'>,
  lastHeartbeat: LastHeartbeat,
  now: number,
): number | undefined {
  if (check.state === 'down') return undefined;
  let [present, at]: [PushCheck, number] = [check, now];
  const remaining = Math.max(1, check.failure_threshold - check.consecutive_failures);
  for (let failures = 0; failures < remaining; failures++) {
    const deadline = heartbeatDeadline(present, lastHeartbeat, Math.max(at, now));
    if (!deadline) return undefined;
    present = { ...present, ...afterMissed(present, deadline) };
    at = deadline.at;
  }
  return at;
}

const seconds = (ms: number): number => Math.floor(ms / 1000);

/** Returns the message of a missed heartbeat in the check's zone. @param last newest heartbeat, epoch ms */
export function missedMessage(
  check: Pick<CheckItem, 'config' | 'interval_seconds' | 'rev'>,
  missed: HeartbeatDeadline,
  last: number | undefined,
  now: number,
): string {
  const { zone, grace, maxRun, first } = heartbeatRules(check);
  switch (missed.misses) {
    case 'end of a run':
      return `started ${wallClock(zone, missed.started_at)} but not finished within ${seconds(maxRun)} s`;
    case 'first heartbeat':
      return `no heartbeat within ${seconds(first)} s of its ${check.rev === 1 ? 'creation' : 'last settings change'}`;
    case 'due time': {
      const lastText = last === undefined ? 'none so far' : `last ${toMinute(wallClock(zone, last))}`;
      const due = wallClock(zone, missed.due).replace(/:00$/, '');
      return `no heartbeat for the run due ${due} ${zone} (grace ${seconds(grace)} s); ${lastText}`;
    }
    case 'any heartbeat':
      return `no result for ${seconds(now - missed.since)} s (grace ${seconds(grace)} s)`;
  }
}

const toMinute = (wall: string): string => wall.slice(0, 16);

/** Times of a push, epoch ms. `at`: by which pushes are ordered; `received_at`: arrival. */
export type PushTimes = { at: number; received_at: number };

/**
 * Returns the times in `last_received`; undefined before the first push. A time in the future, because the clock was
 * set back, becomes 0, so that the next push is applied (not quiet).
 */
export const storedLastReceived = ({ last_received }: CheckItem, now: number): PushTimes | undefined =>
  last_received && {
    at: pastOrZero(last_received.at, now),
    received_at: pastOrZero(last_received.received_at, now),
  };
