import type { AccountItem } from '#lib/access/account.ts';
import type { CheckItem } from '#lib/checks/check-item.ts';
import { nextCheck, replaceCheck } from '#lib/checks/next-check.ts';
import type { Env } from '#lib/env.ts';
import { graceMs } from '#lib/health/checks/grace.ts';
import type { ResultItem } from '#lib/health/history/result-item.ts';
import { resultExpiry } from '#lib/health/history/retention.ts';
import { cellNameOf, changedBy, reviseRollups } from '#lib/health/rollups/revise.ts';
import { applyResult } from '#lib/health/state/apply-result.ts';
import type { Keys } from '#lib/keys.ts';
import type { DueDeadline } from '#lib/messages.ts';
import type { Write } from '#lib/platform/ports.ts';
import { oneAtATime } from '#lib/platform/table/lock.ts';
import { AGAIN, commit, untilDone } from '#lib/platform/table/retry.ts';
import { iso, pastOrZero } from '#lib/platform/time.ts';
import type { DeadlineEntry } from '#lib/schedule/deadlines.ts';
import { deadlineEntry } from '#lib/schedule/entries.ts';
import { putBack } from '#lib/schedule/jobs.ts';
import { lastOutageEnd } from '#lib/schedule/outages.ts';
import { emittedUntil, type WatermarkItem } from '#lib/schedule/watermark.ts';
import { type Newness, newestReceived } from './newest-received.ts';

/**
 * The dead man's switch, at the deadline of a push check: records a synthetic failure if it really was silent, else
 * moves the deadline to where it belongs. Doing it twice, late or at a wrong time does no harm.
 *
 * It marks the check, then looks for pushes, then commits on the mark. A push that came before the look is seen; one
 * that comes after it sees the mark and takes it away.
 * @returns the deadlines that are to come instead, to be sent
 */
export const detectSilence = (env: Env, deadline: DueDeadline, account: AccountItem): Promise<DueDeadline[]> =>
  oneAtATime(env.ports.table, deadline.entity_id, () => untilDone(env.ports, () => attempt(env, deadline, account)));

/** A deadline that has come, and what decides on it. */
type DueSilence = Env & {
  deadline: DueDeadline;
  check: CheckItem;
  /** The write that moves the deadline (epoch ms) on. */
  move(deadline: number): Write;
  now: number;
  /** Epoch ms: silence before our last outage or the account's enabling does not count. */
  watchedSince: number;
  retentionDays: number;
};

async function attempt(
  env: Env,
  deadline: DueDeadline,
  { retention_days, enabled_at }: AccountItem,
): Promise<DueDeadline[] | typeof AGAIN> {
  const { ports, keys } = env;
  const { tenant_id, check_id } = deadline;
  const shard = keys.shardOf(check_id);
  // A deadline comes by two or three messages, of which one moves it: what was moved costs the others one read.
  const entry = await ports.table.get<DeadlineEntry>(keys.entry('silence', tenant_id, check_id));
  if (!entry || entry.deadline > ports.clock.now()) return [];
  const [check, watermark] = await ports.table.getMany<[CheckItem, WatermarkItem]>([
    keys.check(tenant_id, check_id),
    keys.watermark(shard),
  ]);
  if (!check?.enabled) return [];
  const now = ports.clock.now();
  if (emittedUntil(watermark, now) <= now) return [putBack(deadline, now)];
  const move = (deadline: number) => ({
    put: deadlineEntry(keys, 'silence', check, ports.ids.token(), deadline),
    if: { version: entry.v },
  });
  // Read after the watermark: the generator notes an outage before it moves that.
  const watchedSince = Math.max(await lastOutageEnd(env, shard), pastOrZero(enabled_at ?? 0, now));
  return concludeSilence({ ports, keys, deadline, check, move, now, watchedSince, retentionDays: retention_days });
}

async function concludeSilence(one: DueSilence): Promise<DueDeadline[] | typeof AGAIN> {
  const { ports, keys, deadline, check, move, now, watchedSince, retentionDays } = one;
  const due = silenceDue(check, await newestReceived(one, check), watchedSince, now);
  if (due === undefined) return [];
  if (due.at > now) return (await commit(ports, [move(due.at)])).ok ? [{ ...deadline, at: due.at }] : AGAIN;

  const marked = nextCheck(check, ports.ids.token(), {});
  marked.silence_mark = marked.v;
  if (!(await commit(ports, [replaceCheck(check, marked)])).ok) return AGAIN;
  const still = silenceDue(marked, await newestReceived(one, marked), watchedSince, ports.clock.now());
  if (still?.at !== due.at) return AGAIN;

  const interval = check.interval_seconds * 1000;
  const at = latestMissed(due.at, interval, now);
  const silence = synthetic(keys, marked, at, due.since, now, retentionDays);
  await reviseRollups(one, cellNameOf(marked), changedBy(marked, { outcome: 'fail', at, now }));
  const changes = await applyResult(one, marked, {
    outcome: 'fail',
    ran_at: at,
    reason: silence.error_message,
    cause: 'silence',
    retention_days: retentionDays,
    also: { silence_at: at },
  });
  if (!changes) return [];
  const done = await commit(ports, [{ put: silence, if: 'absent' }, move(at + interval), ...changes.writes]);
  return done.ok ? [{ ...deadline, at: at + interval }, ...changes.deadlines] : AGAIN;
}

/**
 * Pure: when the next synthetic failure is due, and since when it is silent (both epoch ms); undefined before a first
 * push. Silence counts from the newest push, a change of settings, or our last outage, whichever is latest: the grace
 * to the first failure, one interval to each further one.
 */
export function silenceDue(
  check: Pick<CheckItem, 'settings_at' | 'silence_at' | 'interval_seconds' | 'config'>,
  newest: Newness | undefined,
  watchedSince: number,
  now: number,
): { since: number; at: number } | undefined {
  if (!newest) return undefined;
  const since = Math.max(newest.received_at, pastOrZero(check.settings_at, now), watchedSince);
  const silence_at = pastOrZero(check.silence_at ?? 0, now);
  const goesOn = silence_at > 0 && silence_at >= since;
  return { since, at: goesOn ? silence_at + check.interval_seconds * 1000 : since + graceMs(check) };
}

/** Pure: the deadline that a synthetic failure stands for: the newest one, as it covers those missed before. */
export const latestMissed = (deadline: number, interval: number, now: number): number =>
  deadline + Math.floor((now - deadline) / interval) * interval;

function synthetic(
  keys: Keys,
  check: CheckItem,
  at: number,
  since: number,
  now: number,
  retentionDays: number,
): ResultItem {
  const seconds = (ms: number) => Math.floor(ms / 1000);
  return {
    ...keys.result(check.tenant_id, check.id, at, `S${check.rev}`),
    expires_at: resultExpiry(at, retentionDays),
    status_code: 0,
    latency_ms: 0,
    success: false,
    error_message: `no result for ${seconds(now - since)} s (grace ${seconds(graceMs(check))} s)`,
    error_kind: 'silence',
    checked_at: iso(at),
  };
}
