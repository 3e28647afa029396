import { createHash } from 'node:crypto';
import { resultExpiry } from '#lib/access/retention.ts';
import { type CheckItem, nextCheck, replaceCheck } from '#lib/checks/check-item.ts';
import { storedLastReceived } from '#lib/checks/heartbeat.ts';
import { outcomeOf, type ProbeOutcome, reasonOf } from '#lib/checks/outcome.ts';
import { applyResult } from '#lib/checks/state/apply-result.ts';
import { isSameState, nextState } from '#lib/checks/state/next-state.ts';
import type { StateEnv } from '#lib/checks/state/on-change.ts';
import type { ErrorKind } from '#lib/checks/types/registry.ts';
import { PINGS } from '#lib/keys.ts';
import type { DueDeadline } from '#lib/messages.ts';
import { AppError, notFound } from '#lib/platform/errors.ts';
import type { Item, Write } from '#lib/platform/ports.ts';
import { commit, oneAtATime, RETRY, retryOnConflict } from '#lib/platform/table/retry.ts';
import { iso } from '#lib/platform/time.ts';
import { orderOf, type PingBodyItem, type PingFacts, type ResultItem, withLatency } from '#lib/results/result.ts';
import { cellOfCheck, changedBy, reviseRollups } from '#lib/results/revise-rollups.ts';
import { sendDeadlines } from '#lib/schedule/jobs.ts';
import { heartbeatDeadlineWrite, isFalseMiss } from './missed-heartbeat.ts';
import { latest, newestReceived, pushTimesOf, QUIET_MS, staleAfter } from './newest-received.ts';
import { type Ended, runsProperty, withEnd } from './open-runs.ts';

/** Evaluates the assertions of a check on a success. @param latency_ms undefined if not measured */
export type EvaluatePush = (latency_ms: number | undefined) => Promise<ProbeOutcome<ErrorKind>>;

async function evaluatedPush(
  result: ResultItem,
  evaluate: EvaluatePush | undefined,
  latency_ms?: number,
): Promise<ResultItem> {
  if (!evaluate) return result;
  const { success, error_kind, error_message, warning_message } = await evaluate(latency_ms);
  const { warning_message: _before, ...rest } = result;
  const filled = (text: string) => withLatency(text, { latency_ms: latency_ms ?? 0 });
  return {
    ...rest,
    success,
    error_kind,
    error_message: filled(error_message),
    ...(warning_message && { warning_message: filled(warning_message) }),
  };
}

/** Result or heartbeat of a push check, as received. */
export type Push = {
  success: boolean;
  latency_ms: number;
  status_code: number;
  error_message: string;
  warning_message?: string;
  /** Epoch ms; undefined: now. */
  checked_at: number | undefined;
  /** Identity of a push, for idempotency: the client's key, else body and checked_at; undefined: always new. */
  identity: { kind: 'key' | 'body'; text: string } | undefined;
  /** Runs that it ends: one by its id, or all. `measured`: whether its latency is the duration of the ended run. */
  ends: { rid?: string | undefined; measured: boolean };
  /** Facts and body of a ping; an empty body is not stored. */
  ping?: PingFacts;
  body?: string;
  evaluate?: EvaluatePush | undefined;
};

/** Pointer from an Idempotency-Key to its result, or to its ping without a result. */
export type IdempotencyKeyItem = Item & { result_sk: string };

/** Returns CONFLICT for a repeated key. @param use earlier use of the key, such as `a result` */
export const keyUsedError = (use: string): AppError =>
  new AppError('CONFLICT', `This Idempotency-Key was used for ${use}; use a new key.`);

/** Returns the digest of an identity for table keys. */
export const digestOfIdentity = (text: string): string =>
  createHash('sha256').update(text).digest('base64url').slice(0, 22);

/**
 * Receives a push: it is stored and applied on return; a repeated push counts once. A push that changes nothing is
 * stored without a write of the check, which is then read again. The detection of missed heartbeats marks the check
 * first and then reads results, so that one of the two sees the other (docs/develop/recording.md#the-recording-core).
 */
export async function receivePush(
  env: StateEnv,
  check: CheckItem,
  push: Push,
  retentionDays: number,
): Promise<ResultItem> {
  const { ports, keys } = env;
  const now = ports.clock.now();
  // A future time is kept, because a repeat must have the same key; comparisons cap it at the arrival (`pushTimesOf`).
  const at = push.checked_at ?? now;
  const digest = push.identity && digestOfIdentity(push.identity.text);
  const pointerKey =
    push.identity?.kind === 'key' ? keys.idempotencyKey(check.tenant_id, check.id, digest!) : undefined;
  const expires_at = resultExpiry(now, retentionDays);
  const tail = digest ?? ports.ids.token();
  const pushed: ResultItem = {
    ...keys.result(check.tenant_id, check.id, at, tail),
    v: ports.ids.token(),
    expires_at: resultExpiry(at, retentionDays),
    status_code: push.status_code,
    latency_ms: push.latency_ms,
    success: push.success,
    error_message: push.error_message,
    error_kind: push.success ? null : 'reported',
    ...(push.warning_message && { warning_message: push.warning_message }),
    checked_at: iso(push.checked_at ?? now),
    received_at: now,
    ...(push.ping && { ping: push.ping }),
  };
  const result = await evaluatedPush(pushed, push.evaluate);
  const pointer: IdempotencyKeyItem | undefined = pointerKey && { ...pointerKey, expires_at, result_sk: result.sk };
  const { ends, evaluate } = push;
  const arrival: Arrival = { ...env, result, pointer, ends, evaluate, retentionDays };

  if (pointerKey) {
    const earlier = await ports.table.get<IdempotencyKeyItem>(pointerKey);
    if (earlier) return repeat(arrival, check, await resultOfPointer(arrival, earlier));
  }
  if (push.body) {
    // Written before its result: a reader of the result must find the body.
    const body: PingBodyItem = { ...keys.pingBody(check.tenant_id, check.id, at, tail), expires_at, text: push.body };
    await ports.table.putMany([body]);
  }
  const late = now - at > QUIET_MS;
  const newest = late ? await newestReceived(env, check) : undefined;
  if (!check.enabled || (newest && newest.at - at > staleAfter(check))) return storeAsHistory(arrival, check);
  return late || !isQuiet(arrival, check, now) ? applyNow(arrival, check) : storeQuietly(arrival, check);
}

type Arrival = StateEnv &
  Pick<Push, 'ends'> & {
    result: ResultItem;
    pointer: IdempotencyKeyItem | undefined;
    evaluate?: EvaluatePush | undefined;
    retentionDays: number;
  };

const endedBy = ({ result, ends }: Arrival, check: CheckItem): Ended =>
  withEnd(check.runs ?? [], { rid: ends.rid, success: result.success }, result.received_at!);

/** Whether the push needs no write of the check. */
const isQuiet = (arrival: Arrival, check: CheckItem, now: number): boolean =>
  (storedLastReceived(check, now)?.received_at ?? 0) > 0 &&
  check.missed_at === undefined &&
  check.missed_mark === undefined &&
  endedBy(arrival, check).runs.length === (check.runs ?? []).length &&
  isSameState(nextState(check, outcomeOf(arrival.result)), check);

async function storeQuietly(arrival: Arrival, check: CheckItem): Promise<ResultItem> {
  const { ports, keys, result } = arrival;
  const earlier = await putOnce(arrival, result);
  if (earlier) return repeat(arrival, check, earlier);
  const fresh = await ports.table.get<CheckItem>(keys.check(check.tenant_id, check.id));
  if (!fresh?.enabled || isQuiet(arrival, fresh, ports.clock.now())) return result;
  return applyNow(arrival, fresh, result);
}

async function storeAsHistory(arrival: Arrival, check: CheckItem): Promise<ResultItem> {
  const result: ResultItem = { ...arrival.result, record_only: true };
  const at = orderOf(result);
  await reviseRollups(arrival, cellOfCheck(check), { from: at, to: at });
  const earlier = await putOnce(arrival, result);
  return earlier ? repeat(arrival, check, earlier) : result;
}

/** Puts a result and its pointer unless one of them exists; else returns the existing result of the same push. */
async function putOnce(arrival: Arrival, result: ResultItem): Promise<ResultItem | undefined> {
  const { ports, pointer } = arrival;
  return retryOnConflict(ports, async () => {
    const done = await ports.table.transact([{ put: result, if: 'absent' }, ...pointerWrite(pointer)]);
    return done.ok ? undefined : await earlierOf(arrival, done.present);
  });
}

const pointerWrite = (pointer: IdempotencyKeyItem | undefined): Write[] =>
  pointer ? [{ put: pointer, if: 'absent' }] : [];

async function earlierOf(arrival: Arrival, present: (Item | undefined)[]): Promise<ResultItem | typeof RETRY> {
  const [result, pointer] = present as [ResultItem?, IdempotencyKeyItem?];
  if (result) return result;
  return arrival.pointer && pointer ? resultOfPointer(arrival, pointer) : RETRY;
}

async function resultOfPointer({ ports, result }: Arrival, pointer: IdempotencyKeyItem): Promise<ResultItem> {
  if (pointer.result_sk.startsWith(PINGS)) throw keyUsedError('a start or log entry');
  const earlier = await ports.table.get<ResultItem>({ pk: result.pk, sk: pointer.result_sk });
  if (earlier) return earlier;
  throw keyUsedError('a result that is past its retention');
}

/** Applies a push in one transaction with its result, which `stored` contains if it was stored before. */
async function applyNow(arrival: Arrival, check: CheckItem, stored?: ResultItem): Promise<ResultItem> {
  const { ports, keys, pointer, ends, evaluate, retentionDays } = arrival;
  const base: ResultItem = { ...(stored ?? arrival.result), v: ports.ids.token(), applied: true };
  let deadlines: DueDeadline[] = [];
  const applied = await oneAtATime<ResultItem | Earlier | 'disabled'>(ports.table, check.entity_id, () =>
    retryOnConflict(ports, async (attempt) => {
      const current = attempt === 0 ? check : await ports.table.get<CheckItem>(keys.check(check.tenant_id, check.id));
      if (!current) throw notFound('This check');
      if (!current.enabled) return stored ?? 'disabled';
      const ended = endedBy({ ...arrival, result: base }, current);
      const { latency_ms } = ended;
      const measured = ends.measured ? { ...base, latency_ms } : base;
      const result = ends.measured && latency_ms > 0 ? await evaluatedPush(measured, evaluate, latency_ms) : measured;
      const outcome = outcomeOf(result);
      const last_received = latest(storedLastReceived(current, ports.clock.now()), pushTimesOf(result));
      const changes = await applyResult(arrival, current, {
        outcome,
        ran_at: pushTimesOf(result).at,
        reason: reasonOf(result),
        cause: 'result',
        retention_days: retentionDays,
        also: { last_received, ...runsProperty(ended.runs) },
        removed: ended.runs.length === 0 ? ['missed_at', 'runs'] : ['missed_at'],
      });
      if (!changes) throw notFound('This check');
      const { at } = pushTimesOf(result);
      await reviseRollups(arrival, cellOfCheck(check), changedBy(current, { outcome, at, now: ports.clock.now() }));
      const after = { last_received, runs: [...ended.runs] };
      const deadline = await heartbeatDeadlineWrite(arrival, current, after, ports.clock.now());
      const done = await commit(ports, [
        { put: result, if: stored ? { version: stored.v! } : 'absent' },
        ...(stored ? [] : pointerWrite(pointer)),
        ...changes.writes,
        ...(deadline ? [deadline.write] : []),
      ]);
      if (done.ok) {
        deadlines = [...changes.deadlines, ...(deadline ? [deadline.due] : [])];
        return result;
      }
      if (done.conflict) return RETRY;
      // If `stored` has changed, another request has applied it. Without `stored`, an existing result with this key is
      // from the same push.
      if (stored && done.failed.includes(0)) return stored;
      const earlier = stored ? RETRY : await earlierOf(arrival, done.present.slice(0, pointer ? 2 : 1));
      return earlier === RETRY ? RETRY : { earlier };
    }),
  );
  if (applied === 'disabled') return storeAsHistory(arrival, check);
  if ('earlier' in applied) return repeat(arrival, check, applied.earlier);
  await sendDeadlines(arrival, deadlines);
  return applied;
}

type Earlier = { earlier: ResultItem };

/**
 * Returns the result of a repeated push, which counts once. If the push did not write the check, removes the mark of a
 * missed heartbeat detection that may not have seen it, or corrects a missed heartbeat that was recorded without it.
 */
async function repeat(arrival: Arrival, check: CheckItem, earlier: ResultItem): Promise<ResultItem> {
  if (earlier.applied || earlier.record_only) return earlier;
  const { ports, keys } = arrival;
  const { tenant_id, id } = check;
  return retryOnConflict(ports, async () => {
    const fresh = await ports.table.get<CheckItem>(keys.check(tenant_id, id));
    if (!fresh?.enabled) return earlier;
    if (isFalseMiss(fresh, earlier.received_at!, ports.clock.now())) return applyNow(arrival, fresh, earlier);
    if (fresh.missed_mark === undefined) return earlier;
    const unmarked = await ports.table.transact([replaceCheck(fresh, nextCheck(fresh, ports.ids.token(), {}))]);
    return unmarked.ok ? earlier : RETRY;
  });
}
