import { type ActionItem, lockName } from '#lib/actions/action-item.ts';
import type { ExecutionItem } from '#lib/actions/execution.ts';
import type { RunEnv } from '#lib/actions/run/claim.ts';
import { type AlertItem, alertItem } from '#lib/alerting/decide/alert-item.ts';
import { stopAwaiting } from '#lib/alerting/decide/awaited-remediation.ts';
import { readCheckAlerting } from '#lib/alerting/decide/check-alerting.ts';
import { escalationChange, nextStepNow, withEscalationStarted } from '#lib/alerting/decide/escalation.ts';
import type { DeadlineEntry } from '#lib/alerting/decide/notes.ts';
import { reportedStateOf, withNotifiedAlerts } from '#lib/alerting/decide/notified-state.ts';
import { notifiedTargets } from '#lib/alerting/decide/recipients.ts';
import { decisionInputOf, type RuleInput } from '#lib/alerting/decide/rule-input.ts';
import { decide } from '#lib/alerting/decide/rules.ts';
import type { DecidedTransition } from '#lib/alerting/decide/transition.ts';
import { recipientsFor } from '#lib/alerting/policy/effective-policy.ts';
import { type CheckItem, nextCheck, replaceCheck } from '#lib/checks/check-item.ts';
import type { Env } from '#lib/env.ts';
import type { DueDeadline } from '#lib/messages.ts';
import type { Write } from '#lib/platform/ports.ts';
import { commit, RETRY } from '#lib/platform/table/retry.ts';
import { iso } from '#lib/platform/time.ts';
import { deadlineWrites } from '#lib/schedule/entries.ts';
import { isCheckHealthy } from './attempt-context.ts';
import { giveSharesBack, readShares } from './attempt-limits.ts';
import { type AttemptSeriesItem, nextSeries, type VerificationVerdict } from './series.ts';

/** What is written and sent; or they hold it back until then (epoch ms). */
type GivingUp = { writes: Write[]; deadlines: DueDeadline[] } | { again: number };

type GivenUp = {
  action: ActionItem;
  check: CheckItem;
  transition: DecidedTransition;
  series: AttemptSeriesItem;
  /** The deadline of an alert of the check that is held. */
  hold: DeadlineEntry | undefined;
};

/**
 * People are told once a series that it did not help: what was tried, how often, and what came of it. The rules of
 * alerting decide whether anybody is. With it the next step of an escalation is due, or its steps begin to count where
 * it is the first alert of the failure. Undefined where people were told, or the check is well by now.
 */
export async function giveUpWrites(
  env: Env,
  { action, check, transition, series, hold }: GivenUp,
  token: string,
  now: number,
): Promise<GivingUp | undefined> {
  const found =
    series.told || isCheckHealthy(action, check) ? undefined : await readCheckAlerting(env, check, { check });
  if (!found?.entity) return undefined;
  const { keys } = env;
  const { policy } = found;
  const { tenant_id, id: check_id, entity_id, state } = check;
  const reports_state = reportedStateOf(state, policy);
  const channels = notifiedTargets(hold, recipientsFor(policy, reports_state, check.alerts), check.alerts);
  const situation: RuleInput = {
    ...decisionInputOf(check, check.alerts, policy, channels, now),
    ...{ kind: 'remediation_failed', cause: null, from: state, to: state },
  };
  const { decision, until } = decide(situation);
  if (decision !== 'planned') return until === undefined ? { writes: [], deadlines: [] } : { again: until };
  const item: AlertItem = alertItem(keys, {
    ...{ tenant_id, check_id, entity_id, transition, reports_state, channels, at: now, n: series.attempts },
    kind: 'remediation_failed',
    ...(transition.incident && { incident_id: transition.incident.id }),
    expires_at: transition.expires_at,
    decided_on: situation,
    remediation: {
      action_id: action.id,
      action_name: action.name,
      attempts: series.attempts,
      verdict: series.last?.verdict ?? 'unverified',
    },
  });
  const told = withNotifiedAlerts(check.alerts, [{ id: item.id, reports_state }]);
  const after = withEscalationStarted(told, policy, reports_state, now);
  const escalation =
    after === told
      ? nextStepNow(keys, check, token, policy, now)
      : escalationChange(keys, check, token, { before: told, after, policy });
  return {
    writes: [
      { put: item, if: 'absent' },
      replaceCheck(check, nextCheck(check, token, { alerts: after })),
      found.policyAsRead,
      ...escalation.writes,
    ],
    deadlines: escalation.deadlines,
  };
}

/** A series whose deadline has come, read strongly. */
export type Due = {
  tenant_id: string;
  action_id: string;
  entry: DeadlineEntry;
  series: AttemptSeriesItem;
  /** Undefined when they were deleted. */
  action: ActionItem | undefined;
  check: CheckItem | undefined;
};

/** `due`: when it is looked at again (epoch ms); `deadlines` of the check are to be sent. */
type Moved = { due?: number | undefined; deadlines?: DueDeadline[] };

/** Moves the deadline of a series (epoch ms), or takes it away. */
export async function moveTo(
  env: RunEnv,
  one: Pick<Due, 'tenant_id' | 'action_id' | 'entry'>,
  due: number | undefined,
): Promise<Moved | typeof RETRY> {
  const writes = entryWrites(env, one, env.ports.ids.token(), due);
  return (await commit(env.ports, writes)).ok ? { due } : RETRY;
}

const entryWrites = (
  { keys }: RunEnv,
  { tenant_id, action_id, entry }: Pick<Due, 'tenant_id' | 'action_id' | 'entry'>,
  token: string,
  due: number | undefined,
): Write[] => {
  const owner = { tenant_id, id: action_id, entity_id: action_id };
  return deadlineWrites(keys, 'remediation', owner, token, entry, due === undefined ? undefined : { deadline: due });
};

/**
 * Writes a verdict down, gives the lock back, and sets when the next attempt is due; where none is left people are
 * told. One transaction, over what it was decided on.
 */
export async function conclude(
  env: RunEnv,
  one: Due,
  execution: ExecutionItem,
  { verdict, by }: { verdict: VerificationVerdict; by: string | null },
): Promise<Moved | typeof RETRY> {
  const { ports, keys } = env;
  const { tenant_id, series, action, check } = one;
  const [now, token] = [ports.clock.now(), ports.ids.token()];
  const { settings, began_at } = series.open!;
  const judged: ExecutionItem = { ...execution, v: token, verdict, verified_at: iso(now), verified_by: by };
  const shares = await readShares(env, tenant_id, lockName(settings, series.entity_id));

  const isOver = !check?.enabled || !action || isCheckHealthy(action, check);
  const isUsedUp = series.attempts >= (action?.remediation ?? settings).max_attempts;
  // Of one that healed it is seen later whether the check, which may want several successes, has come up by it.
  const mayRecover = verdict === 'recovered' && series.failure.transition_id === execution.transition_id;
  const goesOn = !isOver && (!isUsedUp || mayRecover);
  const coolAt = goesOn ? Math.max(began_at + settings.cooldown_seconds * 1000, now) : undefined;
  const last = { verdict, at: now };
  const end =
    isOver || goesOn
      ? undefined
      : await givenUp(env, { ...one, series: { ...series, last }, action, check }, token, now);
  const next_at = end && 'again' in end ? end.again : coolAt;
  const told = end && 'writes' in end ? end : undefined;
  const awaited = verdict === 'recovered' ? undefined : await awaitEnds(env, one, token, now);
  const changes = { open: undefined, next_at, last, ...(told && { told: true as const }) };
  const next = nextSeries(series, changes, token, now);
  const writes: Write[] = [
    { put: judged, if: { version: execution.v } },
    { put: next, if: { version: series.v } },
    ...giveSharesBack(keys, shares, { tenant_id, execution_id: execution.id }, token, now),
    ...entryWrites(env, one, token, next_at),
    ...(told?.writes ?? []),
    ...(awaited?.writes ?? []),
  ];
  if (!(await commit(ports, writes)).ok) return RETRY;
  ports.log.info('a remediation was verified', {
    tenant_id,
    action_id: one.action_id,
    execution_id: execution.id,
    check_id: series.check_id,
    attempt: execution.attempt,
    verdict,
  });
  return { due: next_at, deadlines: [...(told?.deadlines ?? []), ...(awaited?.deadlines ?? [])] };
}

/** The alert of the check that waits for this verdict, which did not come out well, waits no longer. */
async function awaitEnds(
  { ports, keys }: RunEnv,
  { tenant_id, action_id, series, check }: Due,
  token: string,
  now: number,
) {
  if (!check?.repairs?.[action_id]) return undefined;
  const hold = await ports.table.get<DeadlineEntry>(keys.entry('hold', tenant_id, series.check_id));
  return stopAwaiting(keys, check, hold, token, now);
}

async function givenUp(
  env: RunEnv,
  one: Due & { action: NonNullable<Due['action']>; check: NonNullable<Due['check']> },
  token: string,
  now: number,
) {
  const { ports, keys } = env;
  const { check_id, failure } = one.series;
  const [transition, hold] = await ports.table.getMany<[DecidedTransition, DeadlineEntry]>([
    { pk: keys.ofCheck(one.tenant_id, check_id), sk: failure.transition_sk },
    keys.entry('hold', one.tenant_id, check_id),
  ]);
  return transition && giveUpWrites(env, { ...one, transition, hold }, token, now);
}

/** Nothing is left to be verified or repaired: the action is gone, or does not want it any more. */
export async function abandon(
  env: RunEnv,
  one: Pick<Due, 'tenant_id' | 'action_id'> & { entry: DeadlineEntry; series: AttemptSeriesItem | undefined },
): Promise<Moved | typeof RETRY> {
  const { keys, ports } = env;
  const { tenant_id, series } = one;
  const [now, token] = [ports.clock.now(), ports.ids.token()];
  const writes = entryWrites(env, one, token, undefined);
  if (series) {
    const { open, entity_id, v } = series;
    writes.push({ delete: { pk: series.pk, sk: series.sk }, if: { version: v } });
    if (open) {
      const shares = await readShares(env, tenant_id, lockName(open.settings, entity_id));
      writes.push(...giveSharesBack(keys, shares, { tenant_id, execution_id: open.execution_id }, token, now));
    }
  }
  return (await commit(ports, writes)).ok ? {} : RETRY;
}
