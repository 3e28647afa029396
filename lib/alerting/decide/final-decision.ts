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
import { hadOpenAlert } from './recipients.ts';
import { ruleInputOf } from './rule-input.ts';
import { type Decided, decide } from './rules.ts';
import type { AlertDecision, AlertReason, DecidedTransition } from './transition.ts';

/**
 * A held alert is decided once more, and then for good: of all of a transition only its `alert` changes, from held to
 * planned or skipped, with what that was decided on; by condition on its version.
 */

type DecidedHold = Extract<Decided<AlertReason>, { decision: 'held' }>;
type Held = { check: CheckItem; policy: Policy; transition: { sk: string } };

/**
 * The hold that a rule begins at `now` (epoch ms). It is rechecked when what holds the alert is over; after a
 * maintenance window, when the check has had a result of its own.
 */
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
    ...(reason === 'dependency' && hadOpenAlert(check.alerts)),
  };
  return { deadline: reason === 'maintenance' ? expectedResultAt(check, until) : until, note: { held } };
}

/** What an alert is held for, as its transition says. */
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

/** What it was decided on in the end, where that says why. */
type DecidedBy = Partial<Pick<DecidedTransition, 'decided_on'>>;

/** Pure: the write by which the alert of a transition is decided for good, at `at` (epoch ms). */
export function finalDecisionWrite(
  transition: DecidedTransition,
  token: string,
  at: number,
  final: Final,
  by: DecidedBy = {},
): Write {
  const { alert } = transition;
  const attributed_to = alert.attributed_to && { ...alert.attributed_to, next_evaluation_at: null };
  const next = { ...alert, ...final, attributed_to, decided_at: iso(at) };
  const put: DecidedTransition = { ...transition, ...by, v: token, alert: next };
  return { put, if: { version: transition.v } };
}

/**
 * Pure: with another change of its check a held alert has nothing to tell any more. Where its cause was planned work,
 * that is why.
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
  const planned = decide(ruleInputOf({ ...held, decided_on }));
  const final = { decision: 'skipped' as const, reason: planned.reason, facts: planned.facts };
  return [
    finalDecisionWrite({ ...held, alert: { ...alert, attributed_to: holdCauseOf(hold) } }, token, at, final, { decided_on }),
  ];
}

/** So long (ms) after an alert of what others depend on, those who got it are told if more fails with it by then. */
const UPDATE_AFTER_MS = 60_000;

type LastImpactUpdate = {
  check: Pick<CheckItem, 'tenant_id' | 'entity_id' | 'id'>;
  entity: Pick<EntityItem, 'dependents'>;
  policy: Pick<Policy, 'impact_update'>;
  /** Epoch ms of the alert. */
  now: number;
};

/** The deadline of that update; none where nothing depends on the entity. The check must be written beside it. */
export function impactUpdateDeadline(
  keys: Keys,
  token: string,
  { check, entity, policy, now }: LastImpactUpdate,
): { writes: Write[]; deadlines: DueDeadline[] } {
  if (entity.dependents === 0 || !policy.impact_update) return { writes: [], deadlines: [] };
  const at = now + UPDATE_AFTER_MS;
  return {
    writes: [{ put: deadlineEntry(keys, 'impact', check, token, at) }],
    deadlines: [dueDeadline('impact', check, at)],
  };
}

/** The writes by which a check is held under no root any more. */
export function unlinkFromRoot(
  keys: Keys,
  { tenant_id, id }: Pick<CheckItem, 'tenant_id' | 'id'>,
  hold: Deadline | undefined,
): Write[] {
  const root = hold?.note?.held?.root;
  return root === undefined ? [] : [{ delete: keys.heldCheck(tenant_id, root, id) }];
}
