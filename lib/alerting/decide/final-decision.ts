import type { Policy } from '#lib/alerting/policy/policy.ts';
import type { EntityItem } from '#lib/catalog/entity.ts';
import type { CheckItem } from '#lib/checks/check-item.ts';
import type { Keys } from '#lib/keys.ts';
import type { DueDeadline } from '#lib/messages.ts';
import type { Write } from '#lib/platform/ports.ts';
import { iso } from '#lib/platform/time.ts';
import { deadlineEntry, dueDeadline } from '#lib/schedule/entries.ts';
import { expectedResultAt } from './first-result.ts';
import type { Deadline, HeldAlert } from './notes.ts';
import { openAlertNote } from './recipients.ts';
import { ruleInputOf } from './rule-input.ts';
import { type Decided, decide } from './rules.ts';
import type { AlertDecision, AlertReason, DecidedTransition } from './transition.ts';

// A held alert is decided once more: `alert` of its transition becomes planned or skipped, if its version is unchanged.

type DecidedHold = Extract<Decided<AlertReason>, { decision: 'held' }>;
type Held = { check: CheckItem; policy: Policy; transition: { sk: string } };

/** Returns the hold that a rule starts at `now` (epoch ms); after a maintenance window, a new result decides. */
export function newHold(
  { check, policy, transition }: Held,
  now: number,
  { reason, until = now }: DecidedHold,
): Deadline & { note: { held: HeldAlert } } {
  const held: HeldAlert = {
    transition_sk: transition.sk,
    reason,
    from: until,
    ...(policy.window && { window: policy.window }),
    ...(reason === 'dependency' && openAlertNote(check.alerts)),
  };
  return { deadline: reason === 'maintenance' ? expectedResultAt(check, until) : until, note: { held } };
}

/** Returns `attributed_to` of a held alert: its window, and the time of its next recheck. */
export const holdCauseOf = ({ deadline, note }: Deadline): NonNullable<AlertDecision['attributed_to']> => ({
  incident_id: null,
  root_entity_id: null,
  root_entity_name: null,
  root_state: null,
  root_since: null,
  window_id: note?.held?.window?.id ?? null,
  next_evaluation_at: iso(deadline),
});

type Final = Pick<AlertDecision, 'decision' | 'reason' | 'facts'> & Partial<Pick<AlertDecision, 'deliveries'>>;

/** Rule input of the final decision, if it differs from the stored one. */
type FinalInput = Partial<Pick<DecidedTransition, 'decided_on'>>;

/** Returns the write of the final decision, made at `at` (epoch ms). Pure. */
export function finalDecisionWrite(
  transition: DecidedTransition,
  token: string,
  at: number,
  final: Final,
  by: FinalInput = {},
): Write {
  const { alert } = transition;
  const attributed_to = alert.attributed_to && { ...alert.attributed_to, next_evaluation_at: null };
  const next = { ...alert, ...final, attributed_to, decided_at: iso(at) };
  const put: DecidedTransition = { ...transition, ...by, v: token, alert: next };
  return { put, if: { version: transition.v } };
}

/**
 * Returns the writes that skip a held alert because its check changed again. The alert keeps its reason or, if a
 * maintenance window (its own or one of its root cause) has held it since, gets the one that the rules give.
 */
export function supersededWrites(
  held: DecidedTransition,
  hold: Deadline | undefined,
  token: string,
  at: number,
): Write[] {
  const { alert } = held;
  if (alert.decision !== 'held') return [];
  const { reason, facts } = alert;
  const window = hold?.note?.held?.window;
  if (!hold || !window || reason === 'maintenance')
    return [finalDecisionWrite(held, token, at, { decision: 'skipped', reason, facts })];
  const decided_on = { ...held.decided_on, window };
  const decided = decide(ruleInputOf({ ...held, decided_on }));
  const final = { decision: 'skipped' as const, reason: decided.reason, facts: decided.facts };
  const attributed_to = { ...holdCauseOf(hold), ...alert.attributed_to, window_id: window.id };
  return [finalDecisionWrite({ ...held, alert: { ...alert, attributed_to } }, token, at, final, { decided_on })];
}

/** Time in ms from an alert to its impact update. */
const UPDATE_AFTER_MS = 60_000;

type AlertedFailure = {
  check: Pick<CheckItem, 'tenant_id' | 'entity_id' | 'id'>;
  entity: Pick<EntityItem, 'dependents'>;
  policy: Pick<Policy, 'impact_update'>;
  now: number;
};

/** Returns the deadline of the impact update; none without dependents. The same transaction must write the check. */
export function impactUpdateDeadline(
  keys: Keys,
  token: string,
  { check, entity, policy, now }: AlertedFailure,
): { writes: Write[]; deadlines: DueDeadline[] } {
  if (entity.dependents === 0 || !policy.impact_update) return { writes: [], deadlines: [] };
  const at = now + UPDATE_AFTER_MS;
  return {
    writes: [{ put: deadlineEntry(keys, 'impact', check, token, at) }],
    deadlines: [dueDeadline('impact', check, at)],
  };
}

/** Returns the writes that remove a check from the held alerts of its root cause. */
export function unlinkFromRoot(
  keys: Keys,
  { tenant_id, id }: Pick<CheckItem, 'tenant_id' | 'id'>,
  hold: Deadline | undefined,
): Write[] {
  const root = hold?.note?.held?.root;
  return root === undefined ? [] : [{ delete: keys.heldCheck(tenant_id, root, id) }];
}
