import { alertItem, deliveriesOf } from '#lib/alerting/decide/alert-item.ts';
import { withEscalationStarted } from '#lib/alerting/decide/escalation.ts';
import { finalDecisionWrite, newHold } from '#lib/alerting/decide/final-decision.ts';
import { type Deadline, mergeDeadline } from '#lib/alerting/decide/notes.ts';
import { ownIncident, withNotifiedBy } from '#lib/alerting/decide/notified-failure.ts';
import { afterNotifying, earlierFailures, reportedStateOf } from '#lib/alerting/decide/notified-state.ts';
import { cooldownAfter } from '#lib/alerting/decide/quiet-rules.ts';
import {
  awaitedRemediation,
  type ChangeRuleInput,
  decisionInputOf,
  isUnreported,
  laterRecipients,
} from '#lib/alerting/decide/rule-input.ts';
import { decide, lateAt } from '#lib/alerting/decide/rules.ts';
import { recipientsFor } from '#lib/alerting/policy/effective-policy.ts';
import type { Keys } from '#lib/keys.ts';
import type { Outcome } from './commit-outcome.ts';
import type { HeldCase } from './holds.ts';

/** Decides an alert after its hold, by the present data. Pure. @returns `next`: recheck, if the rules hold it again */
export function decideReleased(keys: Keys, token: string, one: HeldCase): { next?: Deadline; outcome: Outcome } {
  const { check, entity, policy, held, transition, now } = one;
  if (transition.alert.decision !== 'held') return { outcome: { token } };
  const reports_state = reportedStateOf(check.state, policy);
  const channels = recipientsFor(policy, reports_state, check.alerts);
  const skips_remediation = held.reason === 'remediation' || held.skips_remediation === true;
  const decided_on = {
    ...decisionInputOf(check.alerts, policy, channels, now),
    ...laterRecipients(policy, reports_state, channels),
    ...(!skips_remediation && awaitedRemediation(check, check.state, now)),
    ...(held.reason !== 'dependency' && entity.dependencies > 0 && { dependencies: entity.dependencies }),
  };
  const { cause, check_from_state: from } = transition;
  const input: ChangeRuleInput = { ...decided_on, kind: 'state_change', cause, from, to: check.state };
  const finalWrite = (final: Parameters<typeof finalDecisionWrite>[3]) =>
    finalDecisionWrite(transition, token, now, final, { decided_on });
  const decided = decide(input);
  if (decided.decision === 'planned' && !isUnreported(input)) {
    // The last alert reported this state, so the alert is skipped, with the reason of its hold.
    const { reason, facts } = transition.alert;
    const skipped = finalDecisionWrite(transition, token, now, { decision: 'skipped', reason, facts });
    return { outcome: { token, extraWrites: [skipped] } };
  }
  if (decided.decision === 'held') {
    const { deadline, note } = newHold(one, now, decided);
    return {
      next: { deadline, note: { held: { ...note.held, ...(skips_remediation && { skips_remediation }) } } },
      outcome: { token },
    };
  }
  if (decided.decision !== 'planned') {
    const { reason, facts } = decided;
    const late = policy.late_alerts ? lateAt(decided) : undefined;
    const next = late === undefined ? undefined : mergeDeadline(one.deadlines.late, { deadline: late });
    return {
      outcome: {
        token,
        ...(reason === 'no_channels' && { alerts: withEscalationStarted(check.alerts, policy, reports_state, now) }),
        deadlines: next ? [{ kind: 'late', next }] : [],
        extraWrites: [finalWrite({ decision: 'skipped', reason, facts })],
      },
    };
  }
  const incident = check.state === 'down' ? ownIncident(entity, one.notifiedFailure, transition) : entity.incident;
  const lasts = one.notifiedFailure && one.notifiedFailure.recovered_at === undefined;
  const { tenant_id, check_id, entity_id, expires_at } = transition;
  const item = alertItem(keys, {
    ...{ tenant_id, check_id, entity_id, transition, expires_at, channels, reports_state },
    ...{ kind: 'state_change', at: now, n: 1, decided_on: input },
    ...earlierFailures(check.alerts, reports_state),
    ...(incident && { incident_id: incident.id }),
    ...(lasts && { shares_incident: true as const }),
  });
  const deliveries = deliveriesOf(item);
  // The hold paused reminders; the next one counts from this alert.
  const repeat = one.deadlines.reminder && { deadline: now + policy.repeat_interval_seconds * 1000 };
  const planned = [{ id: item.id, reports_state }];
  return {
    outcome: {
      token,
      items: [item],
      alerts: withEscalationStarted(
        afterNotifying(check.alerts, planned, cooldownAfter(input), now),
        policy,
        reports_state,
        now,
      ),
      notifiedFailure: withNotifiedBy(item, one.notifiedFailure, { to: check.state, at: now }),
      incident,
      deadlines: repeat ? [{ kind: 'reminder', next: repeat }] : [],
      extraWrites: [finalWrite({ decision: 'planned', reason: null, facts: {}, deliveries })],
    },
  };
}
