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
import { cellNameOf, changedBy, reviseRollups } from '#lib/results/revise-rollups.ts';
import { type DeadlineEntry, deadlineEntry, dueDeadline } from '#lib/schedule/entries.ts';
import { putBack } from '#lib/schedule/jobs.ts';
import { lastOutageEnd } from '#lib/schedule/outages.ts';
import { emittedUntil, type WatermarkItem } from '#lib/schedule/watermark.ts';
import { newestReceived } from './newest-received.ts';

/**
 * The dead man's switch, at the deadline of a push check: records a synthetic failure if it really was silent, else
 * moves the deadline to where it belongs. Doing it twice, late or at a wrong time does no harm.
 *
 * It marks the check, then looks for pushes, then commits on the mark. A push that came before the look is seen; one
 * that comes after it sees the mark and takes it away.
 * @returns the deadlines that are to come instead, to be sent
 */
export const detectMissedHeartbeat = (
  env: StateEnv,
  deadline: DueDeadline,
  account: AccountItem,
): Promise<DueDeadline[]> =>
  oneAtATime(env.ports.table, deadline.entity_id, () =>
    retryOnConflict(env.ports, () => detectOnce(env, deadline, account)),
  );

/** A deadline that has come, and what decides on it. */
type DueSilence = StateEnv & {
  deadline: DueDeadline;
  check: CheckItem;
  /** The write that moves the deadline (epoch ms) on, or takes it away where nothing more is expected. */
  move(deadline: number | undefined): Write;
  now: number;
  /** Epoch ms: silence before our last outage or the account's enabling does not count. */
  watchedSince: number;
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
  // A deadline comes by two or three messages, of which one moves it: what was moved costs the others one read.
  const entry = await ports.table.get<DeadlineEntry>(keys.entry('missed_heartbeat', tenant_id, check_id));
  if (!entry || entry.deadline > ports.clock.now()) return [];
  const [check, watermark] = await ports.table.getMany<[CheckItem, WatermarkItem]>([
    keys.check(tenant_id, check_id),
    keys.watermark(shard),
  ]);
  if (!check?.enabled) return [];
  const now = ports.clock.now();
  if (emittedUntil(watermark, now) <= now) return [putBack(deadline, now)];
  const move = (deadline: number | undefined): Write => {
    const own = { version: entry.v };
    if (deadline === undefined) return { delete: keys.entry('missed_heartbeat', tenant_id, check_id), if: own };
    return { put: deadlineEntry(keys, 'missed_heartbeat', check, ports.ids.token(), deadline), if: own };
  };
  // Read after the watermark: the generator notes an outage before it moves that.
  const watchedSince = Math.max(await lastOutageEnd(env, shard), pastOrZero(enabled_at ?? 0, now));
  return concludeSilence({ ...env, deadline, check, move, now, watchedSince, retentionDays: retention_days });
}

async function concludeSilence(one: DueSilence): Promise<DueDeadline[] | typeof RETRY> {
  const { ports, deadline, check, move, now, retentionDays } = one;
  const { heard, next: due } = await deadlineOf(one, check, now);
  if (!due || due.at > now) return (await commit(ports, [move(due?.at)])).ok ? after(deadline, due) : RETRY;

  const marked = nextCheck(check, ports.ids.token(), {});
  marked.silence_mark = marked.v;
  if (!(await commit(ports, [replaceCheck(check, marked)])).ok) return RETRY;
  const still = await deadlineOf(one, marked, ports.clock.now());
  if (still.next?.at !== due.at) return RETRY;

  const missed = latestMissed(marked, due, now);
  const silence = synthetic(one, marked, missed, heard);
  await reviseRollups(one, cellNameOf(marked), changedBy(marked, { outcome: 'fail', at: missed.at, now }));
  const left = afterMissed(marked, missed);
  const changes = await applyResult(one, marked, {
    outcome: 'fail',
    ran_at: missed.at,
    reason: silence.error_message,
    cause: 'missed_heartbeat',
    retention_days: retentionDays,
    also: left,
  });
  if (!changes) return [];
  const next = heartbeatDeadline({ ...marked, ...left }, heard, now);
  const done = await commit(ports, [{ put: silence, if: 'absent' }, move(next?.at), ...changes.writes]);
  return done.ok ? [...after(deadline, next), ...changes.deadlines] : RETRY;
}

async function deadlineOf(one: DueSilence, check: CheckItem, now: number) {
  const newest = await newestReceived(one, check);
  const heard: LastHeartbeat = { last: newest?.received_at, watchedSince: one.watchedSince };
  return { heard, next: heartbeatDeadline(check, heard, now) };
}

/** The deadline that takes the place of one. */
const after = (deadline: DueDeadline, next: HeartbeatDeadline | undefined): DueDeadline[] =>
  next ? [{ ...deadline, at: next.at }] : [];

function synthetic(
  { keys, now, retentionDays }: DueSilence,
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

/** So soon (ms) it is written, or never: a client of the table gives up after 9 s, and our clocks differ a little. */
const COMMITTED_MS = 15_000;

/**
 * The deadline that a sign of life brings; undefined where the one that stands is early enough, as the detection moves
 * on what comes too early. It is brought forward by the first sign of life, by one that ends a silence, and by starts
 * and ends of runs. No other has the one that stands read.
 * @param before the check as it was
 * @param after what the sign of life leaves on it
 * @param now epoch ms
 */
export async function heartbeatDeadlineWrite(
  { ports, keys }: Env,
  before: CheckItem,
  after: Required<Pick<CheckItem, 'last_received' | 'runs'>>,
  now: number,
): Promise<{ write: Write; due: DueDeadline } | undefined> {
  const { silence_at, runs = [], ...rest } = before;
  const { tenant_id, id: check_id } = before;
  const isRunning = runs.length > 0 || after.runs.length > 0;
  if (!isRunning && before.last_received && silence_at === undefined) return undefined;
  const check = { ...rest, ...after };
  const next = heartbeatDeadline(check, heardOf(check, now), now);
  if (!next) return undefined;
  // Our outages have moved it where the check does not tell. One that comes before this sign of life is committed may
  // be moved by a detection that does not see it.
  const standing = await ports.table.get<DeadlineEntry>(keys.entry('missed_heartbeat', tenant_id, check_id));
  if (standing && standing.deadline > now + COMMITTED_MS && standing.deadline <= next.at) return undefined;
  return {
    write: { put: deadlineEntry(keys, 'missed_heartbeat', before, ports.ids.token(), next.at) },
    due: dueDeadline('missed_heartbeat', before, next.at),
  };
}

const heardOf = (check: CheckItem, now: number) => ({
  last: storedLastReceived(check, now)?.received_at,
  watchedSince: 0,
});

/** Whether a silence was found that there was not, had this push (epoch ms of its arrival) been seen. */
export function isFalseMiss(check: CheckItem, received_at: number, now: number): boolean {
  const { silence_at, runs: _none, ...rest } = check;
  if (silence_at === undefined) return false;
  const deadline = heartbeatDeadline(rest, { last: received_at, watchedSince: 0 }, now);
  return deadline === undefined || silence_at < deadline.at;
}
