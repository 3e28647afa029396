import * as z from 'zod';
import { RULES } from '#lib/alerting/decide/rules.ts';
import { RuleFacts, TransitionRecord } from '#lib/alerting/decide/transition.ts';
import { DeliveryRecord } from '#lib/alerting/notify/delivery-item.ts';
import { CheckState } from '#lib/catalog/states.ts';
import { GapRecord } from '#lib/history/runs/gaps.ts';
import { IdOf } from '#lib/platform/http/route.ts';
import { ResultRecord } from '#lib/results/result.ts';

const RuleOutcome = z.object({
  rule: z.enum(RULES.map(({ name }) => name)).describe('As in alert.reason of a transition.'),
  label: z.string().describe('Name of the rule for display.'),
  outcome: z
    .enum(['pass', 'stop', 'not_reached'])
    .describe('stop: stopped the alert. not_reached: an earlier rule did.'),
  facts: RuleFacts.describe('Facts that the rule evaluated.'),
  found: z.string().describe('The facts as text, with times in ISO 8601 and ids; empty if the rule was not reached.'),
});

const CauseEvaluationRecord = z.object({
  at: z.iso.datetime().describe('When it was.'),
  roots: z.array(z.string()).describe('Ids of the entities that the failure follows from, the likeliest first.'),
  ancestors: z
    .array(
      z.object({
        entity_id: IdOf('the entity'),
        status: z
          .enum(['failed', 'healthy', 'no_data'])
          .describe('healthy: has succeeded since the failure began. no_data: no current result.'),
        evidence: z
          .enum(['state', 'result', 'probe', 'none'])
          .describe('state: its checks are down. result: a push came. probe: it was probed for this.'),
        at: z.iso.datetime().nullable().describe('Of when that is; null where nothing is known.'),
      }),
    )
    .describe('What was known of those that its entity depends on: what failed first, at most 10.'),
  truncated: z.boolean().describe('There were more than are looked at, or shown.'),
});

/** Why somebody was told of a check at a moment, or nobody was (docs/use/alerts.md#explanations). */
export const Explanation = z
  .object({
    check_id: IdOf('the check'),
    at: z.iso.datetime().describe('The moment that is explained.'),
    state: CheckState.describe('State of the check at that moment.'),
    verdict: z
      .enum(['alerted', 'held', 'skipped', 'not_due', 'not_probed', 'no_alert_due'])
      .describe(
        'alerted: an alert was sent for the last change. held: decision deferred. skipped: no alert was sent. not_due: below the thresholds. not_probed: the check was not probed. fine: no alert was due.',
      ),
    sentence: z.string().describe('Human-readable explanation, starting with the answer.'),
    remedy: z.string().describe('What a user can do to be alerted; empty if nothing needs to be done.'),
    rules: z.array(RuleOutcome).describe('What each rule of alerting said to the change of state, in their order.'),
    transition: TransitionRecord.nullable().describe('The last change of state up to then; null before the first.'),
    results: z.array(ResultRecord).describe('The last results up to then, newest first, as far as they are kept.'),
    gaps: z.array(GapRecord).describe('When nobody looked shortly before, in the order of time.'),
    evaluations: z
      .array(CauseEvaluationRecord)
      .describe('What each look for the cause of the failure saw while its alert was held; the last 10, oldest first.'),
    deliveries: z.array(DeliveryRecord).describe('What was sent of that change up to then, in the order of time.'),
    next: z
      .object({
        at: z.iso.datetime().describe('When it is, or was, due.'),
        what: z
          .enum(['probe', 'missed_heartbeat', 'reminder', 'late', 'escalation', 'hold'])
          .describe(
            'probe: it is probed. silence: it fails if nothing comes. reminder: a reminder. late: what was held back is looked at. escalation: its next step calls others. hold: its held alert is looked at again.',
          ),
      })
      .nullable()
      .describe('What comes next for it; null when nothing is known of that.'),
  })
  .meta({ id: 'Explanation' });
export type Explanation = z.infer<typeof Explanation>;
