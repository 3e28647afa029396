import { type AccountItem, isDisabled } from '#lib/access/account.ts';
import { type ActionItem, lockName, type Remediation } from '#lib/actions/action-item.ts';
import { triggerCheckId } from '#lib/actions/bindings.ts';
import { readCheckAlerting } from '#lib/alerting/decide/check-alerting.ts';
import type { Deadline, DeadlineEntry } from '#lib/alerting/decide/notes.ts';
import type { DecidedTransition } from '#lib/alerting/decide/transition.ts';
import type { OpenWindow } from '#lib/alerting/policy/policy.ts';
import type { EntityItem } from '#lib/catalog/entity.ts';
import { acknowledgementAt } from '#lib/checks/acknowledgement.ts';
import type { CheckItem } from '#lib/checks/check-item.ts';
import type { Env } from '#lib/env.ts';
import { type AttemptLimits, readLimits } from './attempt-limits.ts';
import type { Cause, GuardInput } from './guards.ts';
import { type AttemptSeriesItem, seriesAt } from './series.ts';

/** Returns the root cause while it lasts: the one for which the alert is held, else the one that the alert names. */
async function readCause(
  { ports, keys }: Env,
  { tenant_id, alert }: DecidedTransition,
  hold: Deadline | undefined,
): Promise<Cause | undefined> {
  const held = hold?.note?.held?.reason === 'dependency' ? hold.note.held : undefined;
  const id = held?.root ?? alert.attributed_to?.root_entity_id ?? undefined;
  if (id === undefined) return held && !held.notified?.length ? { root: null } : undefined;
  const root = await ports.table.get<EntityItem>(keys.entity(tenant_id, id));
  // A failure that is still held after the recovery of its root cause may recover too.
  return root && (held || root.state === 'down') ? { root: root.name } : undefined;
}

/** Inputs of a remediation attempt by a guarded action after a failure of its check, read strongly consistent. */
export type AttemptContext = {
  action: ActionItem;
  remediation: Remediation;
  account: AccountItem;
  check: CheckItem;
  transition: DecidedTransition;
  /** Series as stored, and series of this failure. */
  stored: AttemptSeriesItem | undefined;
  series: AttemptSeriesItem;
  /** Deadline `remediation` of the action. */
  entry: DeadlineEntry | undefined;
  lock_name: string;
  limits: AttemptLimits;
  window: OpenWindow | undefined;
  cause: Cause | undefined;
  has_dependents: boolean;
  /** Deadline of the held alert of the check. */
  hold: DeadlineEntry | undefined;
};

/** Reads the context; undefined if the action has no guards or another check, or the account or check is disabled. */
export async function readAttemptContext(
  env: Env,
  action_id: string,
  transition: DecidedTransition,
): Promise<AttemptContext | undefined> {
  const { ports, keys } = env;
  const { tenant_id, check_id, entity_id } = transition;
  const [action, account, check, stored, entry, hold] = await ports.table.getMany<
    [ActionItem, AccountItem, CheckItem, AttemptSeriesItem, DeadlineEntry, DeadlineEntry]
  >([
    keys.action(tenant_id, action_id),
    keys.account(tenant_id),
    keys.check(tenant_id, check_id),
    keys.remediation(tenant_id, action_id),
    keys.entry('remediation', tenant_id, action_id),
    keys.entry('hold', tenant_id, check_id),
  ]);
  if (!action?.remediation || triggerCheckId(action) !== check_id || !account || isDisabled(account)) return undefined;
  if (!check?.enabled) return undefined;
  const { remediation } = action;
  const lock_name = lockName(remediation, entity_id);
  const [limits, alerting, cause] = await Promise.all([
    readLimits(env, tenant_id, lock_name),
    readCheckAlerting(env, check, { check }),
    readCause(env, transition, hold),
  ]);
  const window = alerting.policy?.window;
  const series = seriesAt(keys, stored, { tenant_id, action_id, check_id, entity_id }, transition, remediation);
  const has_dependents = (alerting.entity?.dependents ?? 0) > 0;
  return {
    ...{ action, remediation, account, check, transition, stored, series, entry, hold },
    ...{ lock_name, limits, window, cause, has_dependents },
  };
}

/** Returns the input of the guards. `went_down` is 0: it is counted only if no other guard stops the attempt. */
export function guardInputOf(context: AttemptContext, now: number): GuardInput {
  const { remediation, series, lock_name, limits } = context;
  const { lock, remediations } = limits;
  const acknowledged = acknowledgementAt(context.check.alerts, now);
  return {
    ...{ now, remediation, lock_name, attempts: series.attempts },
    is_healthy: isOver(context),
    ...(context.cause && { dependency: context.cause }),
    ...(context.window && { window: { until: context.window.until } }),
    ...(acknowledged && { acknowledged }),
    ...(series.last_began_at !== undefined && { last_began_at: series.last_began_at }),
    ...(lock && { lock }),
    running: remediations?.running.map(({ until }) => until) ?? [],
    begun: remediations?.begun ?? [],
    went_down: 0,
    has_dependents: context.has_dependents,
  };
}

/** Whether the failure has ended, or the transition changed only the entity to `trigger_to_state`. */
function isOver({ action, check, transition, series }: AttemptContext): boolean {
  if (needsNoRemediation(action, check) || needsNoRemediation(action, { state: transition.check_to_state }))
    return true;
  if (series.failure.transition_id !== transition.transition_id) return true;
  return action.trigger_to_state === 'down' && check.state_since !== transition.timestamp;
}

/** Whether a check is in none of the states that its action remediates. */
export const needsNoRemediation = (
  { trigger_to_state }: Pick<ActionItem, 'trigger_to_state'>,
  { state }: Pick<CheckItem, 'state'>,
): boolean => state !== 'down' && (trigger_to_state === 'down' || state !== 'degraded');
