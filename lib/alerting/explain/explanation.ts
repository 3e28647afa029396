import * as z from 'zod';
import { AlertReason, RuleFacts, TransitionRecord } from '#lib/alerting/decide/transition.ts';
import { DeliveryRecord } from '#lib/alerting/notify/delivery-item.ts';
import { CheckState } from '#lib/catalog/states.ts';
import { GapRecord } from '#lib/history/results/gaps.ts';
import { IdOf } from '#lib/platform/http/route.ts';
import { ResultRecord } from '#lib/results/result-record.ts';

const RuleOutcome = z.object({
  rule: AlertReason.describe('As in alert.reason of a transition.'),
  label: z.string().describe('Name of the rule for display.'),
  outcome: z
    .enum(['pass', 'stop', 'not_reached'])
    .describe('stop: stopped the alert. not_reached: an earlier rule stopped it.'),
  facts: RuleFacts.describe('Facts that the rule evaluated.'),
  found: z.string().describe('The facts as text, with times in ISO 8601 and ids; empty if the rule was not reached.'),
});

const CauseEvaluationRecord = z.object({
  at: z.iso.datetime().describe('Time of the evaluation.'),
  roots: z.array(z.string()).describe('Ids of the root causes, the most likely first.'),
  ancestors: z
    .array(
      z.object({
        entity_id: IdOf('the entity'),
        status: z
          .enum(['failed', 'healthy', 'no_data'])
          .describe(
            'failed: down, or a probe failed. healthy: has succeeded since the failure began. no_data: neither.',
          ),
        evidence: z
          .enum(['state', 'result', 'probe', 'none'])
          .describe(
            'state: its checks are down. result: a heartbeat arrived. probe: an upstream probe ran. none: no evidence.',
          ),
        at: z.iso.datetime().nullable().describe('Time of that evidence; null without evidence.'),
      }),
    )
    .describe('Status of the upstream entities of the failed entity, failed ones first, up to 10.'),
  truncated: z.boolean().describe('Whether more entities were left out.'),
});

/** An explanation of why an alert was or was not sent (docs/use/alerts.md#explanations). */
export const Explanation = z
  .object({
    check_id: IdOf('the check'),
    at: z.iso.datetime().describe('Time to explain.'),
    state: CheckState.describe('State of the check at that time.'),
    verdict: z
      .enum(['alerted', 'held', 'skipped', 'not_due', 'not_probed', 'no_alert_due'])
      .describe(
        'alerted: an alert was planned for the last change; its deliveries show whether it was sent. held: decision deferred. skipped: no alert was sent. not_due: below the thresholds, or a heartbeat is not overdue for long enough. not_probed: the check was not probed. no_alert_due: no alert was due.',
      ),
    sentence: z.string().describe('Human-readable explanation, starting with the answer.'),
    remedy: z.string().describe('Actions that a user can take to receive alerts; empty if none is needed.'),
    rules: z.array(RuleOutcome).describe('Outcome of each alert rule for the state change, in order.'),
    transition: TransitionRecord.nullable().describe('Last state change before that time; null before the first.'),
    results: z.array(ResultRecord).describe('Last results before that time, newest first, within their retention.'),
    gaps: z.array(GapRecord).describe('Gaps shortly before that time, oldest first.'),
    evaluations: z
      .array(CauseEvaluationRecord)
      .describe('Last 10 evaluations of the cause while the alert was held, oldest first.'),
    deliveries: z
      .array(DeliveryRecord)
      .describe('Deliveries about that change, oldest first; for a check, only those before that time.'),
    next: z
      .object({
        at: z.iso.datetime().describe('Due time.'),
        what: z
          .enum(['probe', 'missed_heartbeat', 'reminder', 'late', 'escalation', 'hold'])
          .describe(
            'probe: next probe. missed_heartbeat: heartbeat deadline. reminder: next reminder. late: recheck after a suppression. escalation: next step. hold: recheck of the held alert.',
          ),
      })
      .nullable()
      .describe('Next event; null if unknown.'),
  })
  .meta({ id: 'Explanation' });
export type Explanation = z.infer<typeof Explanation>;
