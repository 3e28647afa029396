import { alertItem, deliveriesOf } from '#lib/alerting/decide/alert-item.ts';
import { withEscalationStarted } from '#lib/alerting/decide/escalation.ts';
import { finalDecisionWrite, newHold } from '#lib/alerting/decide/final-decision.ts';
import { type Deadline, mergeDeadline } from '#lib/alerting/decide/notes.ts';
import { ownIncident, withNotifiedBy } from '#lib/alerting/decide/notified-failure.ts';
import { afterNotifying, reportedStateOf } from '#lib/alerting/decide/notified-state.ts';
import { classOf } from '#lib/alerting/decide/quiet-rules.ts';
import {
  awaitedRemediation,
  type ChangeSituation,
  decisionInputOf,
  laterRecipients,
} from '#lib/alerting/decide/rule-input.ts';
import { decide } from '#lib/alerting/decide/rules.ts';
import { recipientsFor } from '#lib/alerting/policy/effective-policy.ts';
import type { Keys } from '#lib/keys.ts';
import type { Outcome } from './commit-outcome.ts';
import type { HeldCase } from './holds.ts';

/**
 * Decides an alert by the rules of alerting as they find the check now, once nothing holds it any more. What its
 * channels know by then is not told again. Pure.
 * @returns `next`: it is held on for another reason
 */
export function decideReleased(keys: Keys, token: string, one: HeldCase): { next?: Deadline; outcome: Outcome } {
  const { check, entity, policy, held, transition, now } = one;
  if (transition.alert.decision !== 'held') return { outcome: { token } };
  const reports_state = reportedStateOf(check.state, policy);
  const channels = recipientsFor(policy, reports_state, check.alerts);
  const repaired = held.reason === 'remediation' || held.repaired === true;
  const decided_on = {
    ...decisionInputOf(check, check.alerts, policy, channels, now),
    ...laterRecipients(policy, reports_state, channels),
    ...(!repaired && awaitedRemediation(check, check.state, now)),
    ...(held.reason !== 'dependency' && entity.dependencies > 0 && { dependencies: entity.dependencies }),
  };
  const { cause, check_from_state: from } = transition;
  const situation: ChangeSituation = { ...decided_on, kind: 'state_change', cause, from, to: check.state };
  const settle = (final: Parameters<typeof finalDecisionWrite>[3]) =>
    finalDecisionWrite(transition, token, now, final, { decided_on });
  const decided = decide(situation);
  if (decided.decision === 'planned' && situation.told === reports_state) {
    // What held it is why nobody was told of this change.
    const { reason, facts } = transition.alert;
    const skipped = finalDecisionWrite(transition, token, now, { decision: 'skipped', reason, facts });
    return { outcome: { token, beside: [skipped] } };
  }
  if (decided.decision === 'held') {
    const { deadline, note } = newHold(one, now, decided);
    return { next: { deadline, note: { held: { ...note.held, ...(repaired && { repaired }) } } }, outcome: { token } };
  }
  if (decided.decision !== 'planned') {
    const { reason, facts, until } = decided;
    const isLater = until !== undefined && policy.late_alerts && (reason === 'cooldown' || reason === 'silenced');
    const next = isLater ? mergeDeadline(one.deadlines.late, { deadline: until }) : undefined;
    return {
      outcome: {
        token,
        ...(reason === 'no_channels' && { alerts: withEscalationStarted(check.alerts, policy, reports_state, now) }),
        deadlines: next ? [{ kind: 'late', next }] : [],
        beside: [settle({ decision: 'skipped', reason, facts })],
      },
    };
  }
  const partOf = check.state === 'down' ? ownIncident(entity, one.incident, transition) : entity.incident;
  const lasts = one.incident && one.incident.recovered_at === undefined;
  const { tenant_id, check_id, entity_id, expires_at } = transition;
  const item = alertItem(keys, {
    ...{ tenant_id, check_id, entity_id, transition, expires_at, channels, reports_state },
    ...{ kind: 'state_change', at: now, n: 1, decided_on: situation },
    ...(partOf && { incident_id: partOf.id }),
    ...(lasts && { with_others: true as const }),
  });
  const deliveries = deliveriesOf(item);
  // Repeats that were paused count from the alert.
  const repeat = one.deadlines.reminder && { deadline: now + policy.repeat_interval_seconds * 1000 };
  const planned = [{ id: item.id, reports_state }];
  return {
    outcome: {
      token,
      items: [item],
      alerts: withEscalationStarted(
        afterNotifying(check.alerts, planned, classOf(situation), now),
        policy,
        reports_state,
        now,
      ),
      told: withNotifiedBy(item, one.incident, { to: check.state, at: now }),
      partOf,
      deadlines: repeat ? [{ kind: 'reminder', next: repeat }] : [],
      beside: [settle({ decision: 'planned', reason: null, facts: {}, deliveries })],
    },
  };
}
