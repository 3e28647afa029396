import type { AccountItem } from '#lib/access/account.ts';
import { resultExpiry } from '#lib/access/retention.ts';
import { type CheckItem, nextCheck, replaceCheck } from '#lib/checks/check-item.ts';
import {
  afterMissed,
  type HeartbeatDeadline,
  heartbeatDeadline,
  type LastHeartbeat,
  latestMissed,
  missedMessage,
  storedLastReceived,
} from '#lib/checks/heartbeat.ts';
import { applyResult } from '#lib/checks/state/apply-result.ts';
import type { StateEnv } from '#lib/checks/state/on-change.ts';
import type { Env } from '#lib/env.ts';
import type { DueDeadline } from '#lib/messages.ts';
import type { Write } from '#lib/platform/ports.ts';
import { commit, oneAtATime, RETRY, retryOnConflict } from '#lib/platform/table/retry.ts';
import { iso, pastOrZero } from '#lib/platform/time.ts';
import type { ResultItem } from '#lib/results/result.ts';
import { cellOfCheck, changedBy, reviseRollups } from '#lib/results/revise-rollups.ts';
import { type DeadlineEntry, deadlineEntry, dueDeadline } from '#lib/schedule/entries.ts';
import { postponed } from '#lib/schedule/jobs.ts';
import { lastOutageEnd } from '#lib/schedule/outages.ts';
import { emittedUntil, type WatermarkItem } from '#lib/schedule/watermark.ts';
import { newestReceived } from './newest-received.ts';

/**
 * Records a synthetic failure if a push check has missed its heartbeat deadline, else moves the deadline. Idempotent,
 * and safe to call at any time. Marks the check, then reads pushes, then commits only if the mark is still there: a
 * push before the read is seen, a later one clears the mark. Returns the next deadlines to send.
 */
export const detectMissedHeartbeat = (
  env: StateEnv,
  deadline: DueDeadline,
  account: AccountItem,
): Promise<DueDeadline[]> =>
  oneAtATime(env.ports.table, deadline.entity_id, () =>
    retryOnConflict(env.ports, () => detectOnce(env, deadline, account)),
  );

type DueHeartbeat = StateEnv & {
  deadline: DueDeadline;
  check: CheckItem;
  /** Returns the write that moves the deadline (epoch ms), or deletes it. */
  move(deadline: number | undefined): Write;
  now: number;
  /** Epoch ms: end of the last outage, or the enabling of the account. Heartbeats missed before it do not count. */
  monitoredSince: number;
  retentionDays: number;
};

async function detectOnce(
  env: StateEnv,
  deadline: DueDeadline,
  { retention_days, enabled_at }: AccountItem,
): Promise<DueDeadline[] | typeof RETRY> {
  const { ports, keys } = env;
  const { tenant_id, check_id } = deadline;
  const shard = keys.shardOf(check_id);
  // A deadline arrives in two or three messages; after the first has moved it, the others cost one read.
  const entry = await ports.table.get<DeadlineEntry>(keys.entry('missed_heartbeat', tenant_id, check_id));
  if (!entry || entry.deadline > ports.clock.now()) return [];
  const [check, watermark] = await ports.table.getMany<[CheckItem, WatermarkItem]>([
    keys.check(tenant_id, check_id),
    keys.watermark(shard),
  ]);
  if (!check?.enabled) return [];
  const now = ports.clock.now();
  if (emittedUntil(watermark, now) <= now) return [postponed(deadline, now)];
  const move = (deadline: number | undefined): Write => {
    const own = { version: entry.v };
    if (deadline === undefined) return { delete: keys.entry('missed_heartbeat', tenant_id, check_id), if: own };
    return { put: deadlineEntry(keys, 'missed_heartbeat', check, ports.ids.token(), deadline), if: own };
  };
  // Read after the watermark, because the generator records an outage before it moves the watermark.
  const monitoredSince = Math.max(await lastOutageEnd(env, shard), pastOrZero(enabled_at ?? 0, now));
  return concludeMissed({ ...env, deadline, check, move, now, monitoredSince, retentionDays: retention_days });
}

async function concludeMissed(context: DueHeartbeat): Promise<DueDeadline[] | typeof RETRY> {
  const { ports, deadline, check, move, now, retentionDays } = context;
  const { heartbeat, next: due } = await deadlineOf(context, check, now);
  if (!due || due.at > now) return (await commit(ports, [move(due?.at)])).ok ? nextDeadline(deadline, due) : RETRY;

  const marked = nextCheck(check, ports.ids.token(), {});
  marked.missed_mark = marked.v;
  if (!(await commit(ports, [replaceCheck(check, marked)])).ok) return RETRY;
  const still = await deadlineOf(context, marked, ports.clock.now());
  if (still.next?.at !== due.at) return RETRY;

  const missed = latestMissed(marked, due, now);
  const failure = syntheticFailure(context, marked, missed, heartbeat);
  await reviseRollups(context, cellOfCheck(marked), changedBy(marked, { outcome: 'fail', at: missed.at, now }));
  const left = afterMissed(marked, missed);
  const changes = await applyResult(context, marked, {
    outcome: 'fail',
    ran_at: missed.at,
    reason: failure.error_message,
    cause: 'missed_heartbeat',
    retention_days: retentionDays,
    also: left,
  });
  if (!changes) return [];
  const next = heartbeatDeadline({ ...marked, ...left }, heartbeat, now);
  const done = await commit(ports, [{ put: failure, if: 'absent' }, move(next?.at), ...changes.writes]);
  return done.ok ? [...nextDeadline(deadline, next), ...changes.deadlines] : RETRY;
}

async function deadlineOf(context: DueHeartbeat, check: CheckItem, now: number) {
  const newest = await newestReceived(context, check);
  const heartbeat: LastHeartbeat = { last: newest?.received_at, monitoredSince: context.monitoredSince };
  return { heartbeat, next: heartbeatDeadline(check, heartbeat, now) };
}

const nextDeadline = (deadline: DueDeadline, next: HeartbeatDeadline | undefined): DueDeadline[] =>
  next ? [{ ...deadline, at: next.at }] : [];

function syntheticFailure(
  { keys, now, retentionDays }: DueHeartbeat,
  check: CheckItem,
  missed: HeartbeatDeadline,
  { last }: LastHeartbeat,
): ResultItem {
  return {
    ...keys.result(check.tenant_id, check.id, missed.at, `S${check.rev}`),
    expires_at: resultExpiry(missed.at, retentionDays),
    status_code: 0,
    latency_ms: 0,
    success: false,
    error_message: missedMessage(check, missed, last, now),
    error_kind: missed.misses === 'end of a run' ? 'overrun' : 'missed_heartbeat',
    checked_at: iso(missed.at),
  };
}

/** Upper bound (ms) for a write to commit or fail: a table client gives up after 9 s, and clocks differ. */
const COMMITTED_MS = 15_000;

/**
 * Returns the write of the deadline after a heartbeat; undefined if the stored one is early enough, because the
 * detection moves one that is too early. Only the first heartbeat, one after a missed one, and the start or end of a
 * run can make it earlier, so only they read the stored one. `after`: properties of the check after the heartbeat.
 */
export async function heartbeatDeadlineWrite(
  { ports, keys }: Env,
  before: CheckItem,
  after: Required<Pick<CheckItem, 'last_received' | 'runs'>>,
  now: number,
): Promise<{ write: Write; due: DueDeadline } | undefined> {
  const { missed_at, runs = [], ...rest } = before;
  const { tenant_id, id: check_id } = before;
  const isRunning = runs.length > 0 || after.runs.length > 0;
  if (!isRunning && before.last_received && missed_at === undefined) return undefined;
  const check = { ...rest, ...after };
  const next = heartbeatDeadline(check, heartbeatOf(check, now), now);
  if (!next) return undefined;
  // Read, because outages move the stored deadline without a write of the check. A stored deadline within COMMITTED_MS
  // is overwritten, because a detection that does not see this heartbeat may move it before the heartbeat is committed.
  const stored = await ports.table.get<DeadlineEntry>(keys.entry('missed_heartbeat', tenant_id, check_id));
  if (stored && stored.deadline > now + COMMITTED_MS && stored.deadline <= next.at) return undefined;
  return {
    write: { put: deadlineEntry(keys, 'missed_heartbeat', before, ports.ids.token(), next.at) },
    due: dueDeadline('missed_heartbeat', before, next.at),
  };
}

const heartbeatOf = (check: CheckItem, now: number) => ({
  last: storedLastReceived(check, now)?.received_at,
  monitoredSince: 0,
});

/** Whether a recorded missed heartbeat is wrong, given a push with this arrival (epoch ms). */
export function isFalseMiss(check: CheckItem, received_at: number, now: number): boolean {
  const { missed_at, runs: _none, ...rest } = check;
  if (missed_at === undefined) return false;
  const deadline = heartbeatDeadline(rest, { last: received_at, monitoredSince: 0 }, now);
  return deadline === undefined || missed_at < deadline.at;
}
