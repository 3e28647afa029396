import { type AccountItem, isDisabled } from '#lib/access/account.ts';
import type { ActionItem } from '#lib/actions/action-item.ts';
import type { ExecutionItem } from '#lib/actions/execution.ts';
import type { RunEnv } from '#lib/actions/run/claim.ts';
import { endInterrupted } from '#lib/actions/run/run.ts';
import type { DecidedTransition } from '#lib/alerting/decide/transition.ts';
import type { CheckItem } from '#lib/checks/check-item.ts';
import { outcomeOf } from '#lib/checks/outcome.ts';
import { revisionsSince } from '#lib/checks/settings/revisions.ts';
import type { Env } from '#lib/env.ts';
import { outagesOf } from '#lib/history/results/gaps.ts';
import { resultOf, storedEntries } from '#lib/history/results/stored-results.ts';
import { cellOf } from '#lib/keys.ts';
import type { DueDeadline, MessageOf } from '#lib/messages.ts';
import { type RETRY, retryOnConflict } from '#lib/platform/table/retry.ts';
import type { ResultItem } from '#lib/results/result.ts';
import { resultRecord } from '#lib/results/result-record.ts';
import type { DeadlineEntry } from '#lib/schedule/entries.ts';
import { sendDeadlines, sendRemediation } from '#lib/schedule/jobs.ts';
import { intervalScheduleOf, latestSlot } from '#lib/schedule/slots.ts';
import { emittedUntil, readWatermark } from '#lib/schedule/watermark.ts';
import { attemptRemediation, type RemediationAttempt } from './attempt.ts';
import { abandon, conclude, type DueSeries, moveTo } from './conclude.ts';
import type { AttemptSeriesItem, VerificationVerdict } from './series.ts';
import { nextRecheckAt, rangeOf, type VerificationRange, type VerificationResult, verdictOf } from './verdict.ts';

/** Maximum age (ms) of a push at its arrival. Pushes are read by `checked_at`, and an older push does not decide. */
const MAX_PUSH_AGE_MS = 60_000;

function nextSlot(check: CheckItem, from: number): number | undefined {
  if (check.execution_mode === 'push') return undefined;
  const schedule = intervalScheduleOf(cellOf(check.id), check.interval_seconds);
  return latestSlot(schedule, from - 1) + schedule.interval_ms;
}

/** Reads the pushes that arrived, and the results whose probes started, within a range; ordered by that time. */
async function verificationResults(
  { ports, keys }: Env,
  action: Pick<ActionItem, 'trigger_to_state'>,
  check: CheckItem,
  { from, until }: VerificationRange,
): Promise<VerificationResult[]> {
  const context = { ports, keys, tenant: check.tenant_id };
  const earlier = check.execution_mode === 'push' ? MAX_PUSH_AGE_MS : check.interval_seconds * 1000;
  const readRange = { from: from - earlier, until: until + 1 };
  const revisions = await revisionsSince(context, check, readRange.from);
  const found: (VerificationResult & { at: number })[] = [];
  for await (const page of storedEntries(context, check, revisions, readRange)) {
    for (const entry of page) {
      if (entry.gap !== undefined) continue;
      const result = resultOf(keys, check, entry.at, entry.result);
      const at = startedAt(result);
      if (result.record_only || at <= from || at > until) continue;
      const { id } = resultRecord(check.id, result);
      found.push({ id, is_healthy: isHealthyBy(action, result), at });
    }
  }
  return found.sort((a, b) => a.at - b.at).map(({ id, is_healthy }) => ({ id, is_healthy }));
}

const startedAt = ({ received_at, checked_at }: ResultItem): number => received_at ?? Date.parse(checked_at);

const isHealthyBy = ({ trigger_to_state }: Pick<ActionItem, 'trigger_to_state'>, result: ResultItem): boolean =>
  trigger_to_state === 'degraded' ? outcomeOf(result) === 'ok' : result.success;

/**
 * Whether a check without results in a range was monitored. A pull check was not, because its probes would have
 * results. A push check was, except in a service outage.
 */
async function wasMonitored(env: Env, check: CheckItem, { from, until }: VerificationRange): Promise<boolean> {
  if (!check.enabled || check.execution_mode === 'pull') return false;
  return (await outagesOf(env, check, { from, until })).length === 0;
}

/** Delay (ms) of the deadline while the schedule is behind, because checks are not monitored then. */
const SCHEDULE_BEHIND_MS = 5_000;

type Recheck = { due?: number | undefined; deadlines?: DueDeadline[]; transition?: DecidedTransition };

/** Decides a due verdict, moves the deadline, or claims an attempt for its caller to send. Idempotent. */
export async function recheckRemediation(
  env: RunEnv,
  message: MessageOf<'action'> & { kind: 'remediation' },
): Promise<{ attempt: RemediationAttempt; transition: DecidedTransition } | undefined> {
  const { tenant_id, action_id } = message;
  const { due, deadlines = [], transition } = await retryOnConflict(env.ports, () => recheckOnce(env, message));
  await sendDeadlines(env, deadlines);
  if (due !== undefined) await sendRemediation(env, { tenant_id, id: action_id }, due);
  return transition && { attempt: await attemptRemediation(env, action_id, transition, false), transition };
}

async function recheckOnce(
  env: RunEnv,
  { tenant_id, action_id, early }: MessageOf<'action'> & { kind: 'remediation' },
): Promise<Recheck | typeof RETRY> {
  const { ports, keys } = env;
  // A deadline arrives in two or three messages; after the first has moved it, the others cost one read.
  const entry = await ports.table.get<DeadlineEntry>(keys.entry('remediation', tenant_id, action_id));
  if (!entry || (entry.deadline > ports.clock.now() && !early)) return {};
  const [series, action, account] = await ports.table.getMany<[AttemptSeriesItem, ActionItem, AccountItem]>([
    keys.remediation(tenant_id, action_id),
    keys.action(tenant_id, action_id),
    keys.account(tenant_id),
  ]);
  // Deadlines of a disabled account arrive at each tick, and are handled when it is enabled again.
  if (account && isDisabled(account) && !account.deleted_at) return {};
  if (!series || !account || !action) return abandon(env, { tenant_id, action_id, entry, series });
  if (early && !series.open) return {};
  const check = await ports.table.get<CheckItem>(keys.check(tenant_id, series.check_id));
  const due: DueSeries = { tenant_id, action_id, entry, series, action, check };

  const now = ports.clock.now();
  const watermark = await readWatermark(env, keys.shardOf(series.check_id));
  if (emittedUntil(watermark, now) <= now) return moveTo(env, due, now + SCHEDULE_BEHIND_MS);
  if (series.open) return recheckOpen(env, due, series.open.execution_id);
  if (series.next_at === undefined) return moveTo(env, due, undefined);
  if (now < series.next_at) return moveTo(env, due, series.next_at);
  const { check_id, failure } = series;
  const transition = await ports.table.get<DecidedTransition>({
    pk: keys.ofCheck(tenant_id, check_id),
    sk: failure.transition_sk,
  });
  if (!transition || !check || action.remediation === null || action.check_id !== check_id) return abandon(env, due);
  // The series keeps its attempts and cooldown, because the check may be enabled and fail again soon.
  return check.enabled ? { transition } : moveTo(env, due, undefined);
}

async function recheckOpen(env: RunEnv, due: DueSeries, execution_id: string): Promise<Recheck | typeof RETRY> {
  const { ports, keys } = env;
  const { series, check } = due;
  const { settings } = series.open!;
  let execution = await ports.table.get<ExecutionItem>(keys.execution(due.tenant_id, execution_id));
  const now = ports.clock.now();
  if (!execution) return abandon(env, due);
  if (execution.dispatch_status === 'pending') {
    // This recheck ends an interrupted execution; no other message ends an execution that a recheck began.
    if (now < execution.give_up_at) return moveTo(env, due, nextRecheckAt('pending', undefined, now));
    execution = await endInterrupted(env, execution);
  }
  if (!check?.enabled) return conclude(env, due, execution, { verdict: 'unverified', by: null });
  const verified = await verifyAttempt(env, due, check, execution, settings);
  return 'next' in verified ? moveTo(env, due, verified.next) : conclude(env, due, execution, verified);
}

async function verifyAttempt(
  env: RunEnv,
  { action }: DueSeries,
  check: CheckItem,
  execution: ExecutionItem,
  settings: NonNullable<AttemptSeriesItem['open']>['settings'],
): Promise<{ verdict: VerificationVerdict; by: string | null } | { next: number }> {
  const now = env.ports.clock.now();
  const range = rangeOf(execution, settings, check);
  if (range === 'not_recovered') return { verdict: range, by: null };
  if (range === 'pending') return { next: nextRecheckAt(range, undefined, now) };
  if (now > range.from) {
    const results = await verificationResults(env, action!, check, range);
    const isOver = results.length === 0 && now >= range.until;
    const verdict = verdictOf(range, results, isOver && (await wasMonitored(env, check, range)), now);
    if (verdict) return verdict;
  }
  return { next: nextRecheckAt(range, nextSlot(check, range.from), now) };
}
