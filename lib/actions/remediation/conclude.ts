import { type ActionItem, lockName } from '#lib/actions/action-item.ts';
import type { ExecutionItem } from '#lib/actions/execution.ts';
import type { RunEnv } from '#lib/actions/run/claim.ts';
import { type AlertItem, alertItem } from '#lib/alerting/decide/alert-item.ts';
import { stopAwaiting } from '#lib/alerting/decide/awaited-remediation.ts';
import { readCheckAlerting } from '#lib/alerting/decide/check-alerting.ts';
import { escalationChange, nextStepNow, withEscalationStarted } from '#lib/alerting/decide/escalation.ts';
import type { DeadlineEntry } from '#lib/alerting/decide/notes.ts';
import { earlierFailures, reportedStateOf, withNotifiedAlerts } from '#lib/alerting/decide/notified-state.ts';
import { followUpTargets } from '#lib/alerting/decide/recipients.ts';
import { decisionInputOf, type RuleInput } from '#lib/alerting/decide/rule-input.ts';
import { decide } from '#lib/alerting/decide/rules.ts';
import { lastTransition } from '#lib/alerting/decide/transition.ts';
import { type CheckItem, nextCheck, replaceCheck } from '#lib/checks/check-item.ts';
import type { Env } from '#lib/env.ts';
import type { DueDeadline } from '#lib/messages.ts';
import type { Write } from '#lib/platform/ports.ts';
import { commit, RETRY } from '#lib/platform/table/retry.ts';
import { iso } from '#lib/platform/time.ts';
import { deadlineWrites } from '#lib/schedule/entries.ts';
import { needsNoRemediation } from './attempt-context.ts';
import { readLimits, releaseLimits } from './attempt-limits.ts';
import { type AttemptSeriesItem, nextSeries, type VerificationVerdict } from './series.ts';

/** Writes and deadlines of the alert about a failed remediation, or the end (epoch ms) of its suppression by rules. */
type FailureAlert = { writes: Write[]; deadlines: DueDeadline[] } | { suppressed_until: number };

type FailedRemediation = {
  action: ActionItem;
  check: CheckItem;
  series: AttemptSeriesItem;
  hold: DeadlineEntry | undefined;
};

/**
 * Returns the alert about a failed remediation: one per series, if the rules of alerting allow it. It also makes the
 * next escalation step due, or starts escalation if it is the first alert of the failure. Undefined if it was already
 * sent or finally skipped, or if the failure has ended.
 */
export async function failureAlertOf(
  env: Env,
  { action, check, series, hold }: FailedRemediation,
  token: string,
  now: number,
): Promise<FailureAlert | undefined> {
  const found =
    series.notified || needsNoRemediation(action, check) ? undefined : await readCheckAlerting(env, check, { check });
  if (!found?.entity) return undefined;
  const { keys } = env;
  const { policy } = found;
  const { tenant_id, id: check_id, entity_id, state } = check;
  const reports_state = reportedStateOf(state, policy);
  const channels = followUpTargets(hold, policy, reports_state, check.alerts);
  const input: RuleInput = {
    ...decisionInputOf(check.alerts, policy, channels, now),
    ...{ kind: 'remediation_failed', cause: null, from: state, to: state },
  };
  const { decision, until } = decide(input);
  if (decision !== 'planned') return until === undefined ? { writes: [], deadlines: [] } : { suppressed_until: until };
  // The state may have changed since the remediation began, such as from degraded to down.
  const transition = await lastTransition(env, tenant_id, check_id);
  if (!transition) return undefined;
  const item: AlertItem = alertItem(keys, {
    ...{ tenant_id, check_id, entity_id, transition, reports_state, channels, at: now, n: series.attempts },
    kind: 'remediation_failed',
    ...earlierFailures(check.alerts, reports_state),
    ...(transition.incident && { incident_id: transition.incident.id }),
    expires_at: transition.expires_at,
    decided_on: input,
    remediation: {
      action_id: action.id,
      action_name: action.name,
      attempts: series.attempts,
      verdict: series.last?.verdict ?? 'unverified',
    },
  });
  const notified = withNotifiedAlerts(check.alerts, [{ id: item.id, reports_state }]);
  const after = withEscalationStarted(notified, policy, reports_state, now);
  const escalation =
    after === notified
      ? nextStepNow(keys, check, token, policy, now)
      : escalationChange(keys, check, token, { before: notified, after, policy });
  return {
    writes: [
      { put: item, if: 'absent' },
      replaceCheck(check, nextCheck(check, token, { alerts: after })),
      found.policyUnchanged,
      ...escalation.writes,
    ],
    deadlines: escalation.deadlines,
  };
}

/** Series whose deadline is due, read strongly consistent. */
export type DueSeries = {
  tenant_id: string;
  action_id: string;
  entry: DeadlineEntry;
  series: AttemptSeriesItem;
  action: ActionItem | undefined;
  check: CheckItem | undefined;
};

/** `due`: next recheck (epoch ms); `deadlines`: of the check, to send. */
type Moved = { due?: number | undefined; deadlines?: DueDeadline[] };

/** Moves the deadline of a series to `due` (epoch ms); deletes it if undefined. */
export async function moveTo(
  env: RunEnv,
  one: Pick<DueSeries, 'tenant_id' | 'action_id' | 'entry'>,
  due: number | undefined,
): Promise<Moved | typeof RETRY> {
  const writes = entryWrites(env, one, env.ports.ids.token(), due);
  return (await commit(env.ports, writes)).ok ? { due } : RETRY;
}

const entryWrites = (
  { keys }: RunEnv,
  { tenant_id, action_id, entry }: Pick<DueSeries, 'tenant_id' | 'action_id' | 'entry'>,
  token: string,
  due: number | undefined,
): Write[] => {
  const owner = { tenant_id, id: action_id, entity_id: action_id };
  return deadlineWrites(keys, 'remediation', owner, token, entry, due === undefined ? undefined : { deadline: due });
};

/** Records a verdict, releases the lock, and schedules the next attempt or writes the alert; in one transaction. */
export async function conclude(
  env: RunEnv,
  due: DueSeries,
  execution: ExecutionItem,
  { verdict, by }: { verdict: VerificationVerdict; by: string | null },
): Promise<Moved | typeof RETRY> {
  const { ports, keys } = env;
  const { tenant_id, series, action, check } = due;
  const [now, token] = [ports.clock.now(), ports.ids.token()];
  const { settings, began_at } = series.open!;
  const verified: ExecutionItem = { ...execution, v: token, verdict, verified_at: iso(now), verified_by: by };
  const limits = await readLimits(env, tenant_id, lockName(settings, series.entity_id));

  const isOver = !check?.enabled || !action || needsNoRemediation(action, check);
  const isUsedUp = series.attempts >= (action?.remediation ?? settings).max_attempts;
  // One healthy result decides the verdict, but the check may need several to recover. The series continues until then.
  const mightRecover = verdict === 'recovered' && series.failure.transition_id === execution.transition_id;
  const continues = !isOver && (!isUsedUp || mightRecover);
  const nextAttemptAt = continues ? Math.max(began_at + settings.cooldown_seconds * 1000, now) : undefined;
  const last = { verdict, at: now };
  const alert =
    isOver || continues
      ? undefined
      : await readFailureAlert(env, { ...due, series: { ...series, last }, action, check }, token, now);
  const next_at = alert && 'suppressed_until' in alert ? alert.suppressed_until : nextAttemptAt;
  const alerted = alert && 'writes' in alert ? alert : undefined;
  const awaited = verdict === 'recovered' ? undefined : await endAlertWait(env, due, token, now);
  const changes = { open: undefined, next_at, last, ...(alerted && { notified: true as const }) };
  const next = nextSeries(series, changes, token, now);
  const writes: Write[] = [
    { put: verified, if: { version: execution.v } },
    { put: next, if: { version: series.v } },
    ...releaseLimits(keys, limits, { tenant_id, execution_id: execution.id }, token, now),
    ...entryWrites(env, due, token, next_at),
    ...(alerted?.writes ?? []),
    ...(awaited?.writes ?? []),
  ];
  if (!(await commit(ports, writes)).ok) return RETRY;
  ports.log.info('remediation verified', {
    tenant_id,
    action_id: due.action_id,
    execution_id: execution.id,
    check_id: series.check_id,
    attempt: execution.attempt,
    verdict,
  });
  return { due: next_at, deadlines: [...(alerted?.deadlines ?? []), ...(awaited?.deadlines ?? [])] };
}

async function endAlertWait(
  { ports, keys }: RunEnv,
  { tenant_id, action_id, series, check }: DueSeries,
  token: string,
  now: number,
) {
  if (!check?.remediations?.[action_id]) return undefined;
  const hold = await ports.table.get<DeadlineEntry>(keys.entry('hold', tenant_id, series.check_id));
  return stopAwaiting(keys, check, hold, token, now);
}

async function readFailureAlert(
  env: RunEnv,
  one: DueSeries & { action: NonNullable<DueSeries['action']>; check: NonNullable<DueSeries['check']> },
  token: string,
  now: number,
) {
  const { ports, keys } = env;
  const hold = await ports.table.get<DeadlineEntry>(keys.entry('hold', one.tenant_id, one.series.check_id));
  return failureAlertOf(env, { ...one, hold }, token, now);
}

/** Deletes a series and its deadline: an item that it needs is gone, or the action no longer remediates its check. */
export async function abandon(
  env: RunEnv,
  one: Pick<DueSeries, 'tenant_id' | 'action_id'> & { entry: DeadlineEntry; series: AttemptSeriesItem | undefined },
): Promise<Moved | typeof RETRY> {
  const { keys, ports } = env;
  const { tenant_id, series } = one;
  const [now, token] = [ports.clock.now(), ports.ids.token()];
  const writes = entryWrites(env, one, token, undefined);
  if (series) {
    const { open, entity_id, v } = series;
    writes.push({ delete: { pk: series.pk, sk: series.sk }, if: { version: v } });
    if (open) {
      const limits = await readLimits(env, tenant_id, lockName(open.settings, entity_id));
      writes.push(...releaseLimits(keys, limits, { tenant_id, execution_id: open.execution_id }, token, now));
    }
  }
  return (await commit(ports, writes)).ok ? {} : RETRY;
}
