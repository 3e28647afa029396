import { type AccountItem, isDisabled } from '#lib/access/account.ts';
import type { ActionItem } from '#lib/actions/action-item.ts';
import type { ExecutionItem } from '#lib/actions/execution.ts';
import type { RunEnv } from '#lib/actions/run/claim.ts';
import { interrupted } from '#lib/actions/run/run.ts';
import type { DecidedTransition } from '#lib/alerting/decide/transition.ts';
import type { CheckItem } from '#lib/checks/check-item.ts';
import { outcomeOf } from '#lib/checks/outcome.ts';
import { revisionsSince } from '#lib/checks/settings/revisions.ts';
import type { Env } from '#lib/env.ts';
import { outagesOf } from '#lib/history/runs/gaps.ts';
import { resultOf, storedRuns } from '#lib/history/runs/runs.ts';
import { cellOf } from '#lib/keys.ts';
import type { DueDeadline, MessageOf } from '#lib/messages.ts';
import { type RETRY, retryOnConflict } from '#lib/platform/table/retry.ts';
import { type ResultItem, resultRecord } from '#lib/results/result.ts';
import type { DeadlineEntry } from '#lib/schedule/entries.ts';
import { sendDeadlines, sendRemediation } from '#lib/schedule/jobs.ts';
import { intervalScheduleOf, latestSlot } from '#lib/schedule/slots.ts';
import { emittedUntil, readWatermark } from '#lib/schedule/watermark.ts';
import { attemptRemediation, type RemediationAttempt } from './attempt.ts';
import { abandon, conclude, type Due, moveTo } from './conclude.ts';
import type { AttemptSeriesItem, VerificationVerdict } from './series.ts';
import { nextRecheckAt, spanOf, type VerificationRange, type VerificationResult, verdictOf } from './verdict.ts';

/** A push may say that it was checked so long (ms) before it came. */
const PUSHED_LATE_MS = 60_000;

/** When a check is probed next from a time on (epoch ms); undefined of one that is pushed. */
function nextSlot(check: CheckItem, from: number): number | undefined {
  if (check.execution_mode === 'push') return undefined;
  const rhythm = intervalScheduleOf(cellOf(check.id), check.interval_seconds);
  return latestSlot(rhythm, from - 1) + rhythm.interval_ms;
}

/** The results of a check whose probe began, or that came, within a span; in that order. */
async function verificationResults(
  { ports, keys }: Env,
  action: Pick<ActionItem, 'trigger_to_state'>,
  check: CheckItem,
  { from, until }: VerificationRange,
): Promise<VerificationResult[]> {
  const context = { ports, keys, tenant: check.tenant_id };
  const earlier = check.execution_mode === 'push' ? PUSHED_LATE_MS : check.interval_seconds * 1000;
  const window = { from: from - earlier, until: until + 1 };
  const revisions = await revisionsSince(context, check, window.from);
  const found: (VerificationResult & { at: number })[] = [];
  for await (const page of storedRuns(context, check, revisions, window)) {
    for (const moment of page) {
      if (moment.gap !== undefined) continue;
      const result = resultOf(keys, check, moment.at, moment.run);
      const at = beganAt(result);
      if (result.history || at <= from || at > until) continue;
      const { id } = resultRecord(check.id, result);
      found.push({ id, is_well: isWellBy(action, result), at });
    }
  }
  return found.sort((a, b) => a.at - b.at).map(({ id, is_well }) => ({ id, is_well }));
}

/** When its probe began, or it came (epoch ms). */
const beganAt = ({ received_at, checked_at }: ResultItem): number => received_at ?? Date.parse(checked_at);

/** A warning is no success where degraded is what is repaired. */
const isWellBy = ({ trigger_to_state }: Pick<ActionItem, 'trigger_to_state'>, result: ResultItem): boolean =>
  trigger_to_state === 'degraded' ? outcomeOf(result) === 'ok' : result.success;

/** Whether a check without any result in a span was watched: a probe always has one, a push may fail to come. */
async function wasWatched(env: Env, check: CheckItem, { from, until }: VerificationRange): Promise<boolean> {
  if (!check.enabled || check.execution_mode === 'pull') return false;
  return (await outagesOf(env, check, { from, until })).length === 0;
}

/** While the schedule lags behind nobody watches; the deadline is looked at again after this time (ms). */
const PUT_BACK_MS = 5_000;

/** What a look comes to: when it is looked at again (epoch ms), or an attempt at a failure. */
type Looked = { due?: number | undefined; deadlines?: DueDeadline[]; next?: DecidedTransition };

/**
 * Looks at a guarded action whose deadline has come: makes the verdict of its open attempt, or the next attempt. Doing
 * it twice, late or at a wrong time does no harm.
 * @returns a claimed attempt, which is to be sent
 */
export async function recheckRemediation(
  env: RunEnv,
  message: MessageOf<'action'> & { kind: 'remediation' },
): Promise<{ attempt: RemediationAttempt; transition: DecidedTransition } | undefined> {
  const { tenant_id, action_id } = message;
  const { due, deadlines = [], next } = await retryOnConflict(env.ports, () => look(env, message));
  await sendDeadlines(env, deadlines);
  if (due !== undefined) await sendRemediation(env, { tenant_id, id: action_id }, due);
  return next && { attempt: await attemptRemediation(env, action_id, next, false), transition: next };
}

async function look(
  env: RunEnv,
  { tenant_id, action_id, asked }: MessageOf<'action'> & { kind: 'remediation' },
): Promise<Looked | typeof RETRY> {
  const { ports, keys } = env;
  // A deadline comes by two or three messages, of which one moves it: what was moved costs the others one read.
  const entry = await ports.table.get<DeadlineEntry>(keys.entry('remediation', tenant_id, action_id));
  if (!entry || (entry.deadline > ports.clock.now() && !asked)) return {};
  const [series, action, account] = await ports.table.getMany<[AttemptSeriesItem, ActionItem, AccountItem]>([
    keys.remediation(tenant_id, action_id),
    keys.action(tenant_id, action_id),
    keys.account(tenant_id),
  ]);
  // What a disabled account has open comes at each tick, and is looked at when it is enabled again.
  if (account && isDisabled(account) && !account.deleted_at) return {};
  if (!series || !account || !action) return abandon(env, { tenant_id, action_id, entry, series });
  if (asked && !series.open) return {};
  const check = await ports.table.get<CheckItem>(keys.check(tenant_id, series.check_id));
  const due: Due = { tenant_id, action_id, entry, series, action, check };

  const now = ports.clock.now();
  const watermark = await readWatermark(env, keys.shardOf(series.check_id));
  if (emittedUntil(watermark, now) <= now) return moveTo(env, due, now + PUT_BACK_MS);
  if (series.open) return lookAtOpen(env, due, series.open.execution_id);
  if (series.next_at === undefined) return moveTo(env, due, undefined);
  if (now < series.next_at) return moveTo(env, due, series.next_at);
  const { check_id, failure } = series;
  const next = await ports.table.get<DecidedTransition>({
    pk: keys.ofCheck(tenant_id, check_id),
    sk: failure.transition_sk,
  });
  const isWanted = action.remediation !== null && action.check_id === check_id && check?.enabled;
  return next && isWanted ? { next } : abandon(env, due);
}

async function lookAtOpen(env: RunEnv, due: Due, execution_id: string): Promise<Looked | typeof RETRY> {
  const { ports, keys } = env;
  const { series, check } = due;
  const { settings } = series.open!;
  let execution = await ports.table.get<ExecutionItem>(keys.execution(due.tenant_id, execution_id));
  const now = ports.clock.now();
  if (!execution) return abandon(env, due);
  if (execution.dispatch_status === 'pending') {
    // Should it have been cut off, nobody but this look ends it.
    if (now < execution.give_up_at) return moveTo(env, due, nextRecheckAt('pending', undefined, now));
    execution = await interrupted(env, execution);
  }
  if (!check?.enabled) return conclude(env, due, execution, { verdict: 'unverified', by: null });
  const judged = await verifyAttempt(env, due, check, execution, settings);
  return 'look' in judged ? moveTo(env, due, judged.look) : conclude(env, due, execution, judged);
}

async function verifyAttempt(
  env: RunEnv,
  { action }: Due,
  check: CheckItem,
  execution: ExecutionItem,
  settings: NonNullable<AttemptSeriesItem['open']>['settings'],
): Promise<{ verdict: VerificationVerdict; by: string | null } | { look: number }> {
  const now = env.ports.clock.now();
  const span = spanOf(execution, settings, check);
  if (span === 'not_recovered') return { verdict: span, by: null };
  if (span === 'pending') return { look: nextRecheckAt(span, undefined, now) };
  if (now > span.from) {
    const signs = await verificationResults(env, action!, check, span);
    const isOver = signs.length === 0 && now >= span.until;
    const verdict = verdictOf(span, signs, isOver && (await wasWatched(env, check, span)), now);
    if (verdict) return verdict;
  }
  return { look: nextRecheckAt(span, nextSlot(check, span.from), now) };
}
