import type { AccountItem } from '#lib/access/account.ts';
import { readCheckAlerting } from '#lib/alerting/decide/check-alerting.ts';
import { unlinkFromRoot } from '#lib/alerting/decide/final-decision.ts';
import { expectedResultAt, hasResultSince, latestDecisionAt } from '#lib/alerting/decide/first-result.ts';
import { type Deadline, mergeDeadline } from '#lib/alerting/decide/notes.ts';
import type { DecidedTransition } from '#lib/alerting/decide/transition.ts';
import type { Env } from '#lib/env.ts';
import type { DueDeadline } from '#lib/messages.ts';
import type { Write } from '#lib/platform/ports.ts';
import { type RETRY, retryOnConflict } from '#lib/platform/table/retry.ts';
import { pastOrZero } from '#lib/platform/time.ts';
import { deadlineWrites, dueDeadline } from '#lib/schedule/entries.ts';
import { postponed } from '#lib/schedule/jobs.ts';
import { lastOutageEnd } from '#lib/schedule/outages.ts';
import { emittedUntil, readWatermark } from '#lib/schedule/watermark.ts';
import { commitOutcome, moveDeadline } from './commit-outcome.ts';
import { decideReleased } from './decide-released.ts';
import { type HeldCase, HOLDS } from './holds.ts';

/** Recheck delay (ms) while the cause is not known because another process probes or this process is busy. */
const UNSETTLED_MS = 1_000;

/** Bounds (ms) of the recheck interval, a tenth of the time since the awaited result was expected. */
const MIN_MS = 5_000;
const MAX_MS = 60_000;

/** Keeps, releases or skips a held alert in one transaction; outage time does not count. @returns deadlines to send */
export async function recheckHeldAlert(env: Env, deadline: DueDeadline, account: AccountItem): Promise<DueDeadline[]> {
  const { ports, keys } = env;
  const shard = keys.shardOf(deadline.check_id);
  const watermark = await readWatermark(env, shard);
  const now = ports.clock.now();
  if (emittedUntil(watermark, now) <= now) return [postponed(deadline, now)];
  const monitoredSince = Math.max(await lastOutageEnd(env, shard), pastOrZero(account.enabled_at ?? 0, now));
  return retryOnConflict(ports, () => recheck(env, deadline, account, monitoredSince));
}

/** Rechecks once. @param monitoredSince epoch ms: end of the last outage or, if later, enabling of the account */
async function recheck(
  env: Env,
  deadline: DueDeadline,
  account: AccountItem,
  monitoredSince: number,
): Promise<DueDeadline[] | typeof RETRY> {
  const { ports, keys } = env;
  const { tenant_id, check_id, entity_id } = deadline;
  const owner = { tenant_id, entity_id, id: check_id };
  const read = await readCheckAlerting(env, owner, { deadlines: ['hold', 'reminder', 'late'], notifiedFailure: true });
  const { check, now } = read;
  const entry = read.deadlines.hold;
  if (!entry || (entry.deadline > now && !deadline.woken)) return [];
  const held = entry.note?.held;
  const key = held && { pk: keys.ofCheck(tenant_id, check_id), sk: held.transition_sk };
  const transition = key && (await ports.table.get<DecidedTransition>(key));
  const isOver = held?.reason !== 'dependency' && transition?.alert.decision !== 'held';
  // Nothing is left to decide: the check, its entity or the transition was deleted, or the alert was decided.
  if (!held || !check || !read.entity || !transition || isOver) {
    return moveDeadline(env, read, { kind: 'hold', next: undefined }, check && unlinkFromRoot(keys, check, entry));
  }
  const one: HeldCase = { ...read, check, held, transition, due: entry.deadline };
  const unlinked = unlinkFromRoot(keys, check, entry);
  const decideNow = (by: HeldCase, extraWrites: readonly Write[]) => {
    const { next, outcome } = decideReleased(keys, ports.ids.token(), by);
    const writes = [...(outcome.extraWrites ?? []), ...extraWrites, ...unlinked];
    return commitOutcome(env, read, { kind: 'hold', next }, { ...outcome, extraWrites: writes });
  };

  const isLateAlert = held.kind === 'late';
  for (const candidate of isLateAlert ? [HOLDS.dependency] : Object.values(HOLDS)) {
    const found = await candidate.recheck({ ...env, tenant: tenant_id }, account, one);
    if (found.is === 'released') continue;
    if (found.is === 'unsettled') return [{ ...dueDeadline('hold', owner, now + UNSETTLED_MS), woken: true }];
    if (found.is === 'known') return decideNow({ ...one, held: found.held }, found.extraWrites);
    const own = { kind: 'hold' as const, next: found.next };
    return found.outcome ? commitOutcome(env, read, own, found.outcome) : moveDeadline(env, read, own);
  }
  if (isLateAlert) {
    // The handler of the `late` deadline waits for the end of any suppression.
    const again = mergeDeadline(read.deadlines.late, { deadline: now });
    const writes = deadlineWrites(keys, 'late', owner, ports.ids.token(), read.deadlines.late, again);
    const own = { kind: 'hold' as const, next: undefined };
    return moveDeadline(env, read, own, [...unlinked, ...writes], [dueDeadline('late', owner, again.deadline)]);
  }
  const later = HOLDS[held.reason].waits_for_result ? await nextRecheckForResult(env, one, monitoredSince) : undefined;
  return later ? moveDeadline(env, read, { kind: 'hold', next: later }) : decideNow(one, []);
}

/** Returns the deadline of the next recheck; undefined after a new result, or at the maximum wait. */
async function nextRecheckForResult(
  env: Env,
  { check, held, due, now }: HeldCase,
  monitoredSince: number,
): Promise<Deadline | undefined> {
  const from = Math.max(Math.min(held.from, due), monitoredSince);
  const last = latestDecisionAt(check, from);
  if (now >= last || (await hasResultSince(env, check, from))) return undefined;
  const wait = Math.min(Math.max((now - expectedResultAt(check, from)) / 10, MIN_MS), MAX_MS);
  return { deadline: Math.min(Math.ceil(now + wait), last), note: { held: { ...held, from } } };
}
