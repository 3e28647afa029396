import * as z from 'zod';
import { DeliveryRecord } from '#lib/alerts/deliver/delivery-item.ts';
import { CheckState } from '#lib/catalog/states.ts';
import { RuleFacts } from '#lib/health/alerting/decision.ts';
import { RULES } from '#lib/health/alerting/rules.ts';
import { GapRecord } from '#lib/health/history/gaps.ts';
import { ResultRecord } from '#lib/health/history/result-item.ts';
import { TransitionRecord } from '#lib/health/state/transition-record.ts';
import { IdOf } from '#lib/platform/http/members.ts';

const RuleOutcome = z.object({
  rule: z.enum(RULES.map(({ name }) => name)).describe('As in alert.reason of a transition.'),
  outcome: z
    .enum(['pass', 'stop', 'not_reached'])
    .describe('stop: this rule is why nobody was told. not_reached: one before it was.'),
  facts: RuleFacts.describe('What it looked at.'),
});

/** Why somebody was told of a check at a moment, or nobody was (docs/CONTRACT.md#explanations). */
export const Explanation = z
  .object({
    check_id: IdOf('the check'),
    at: z.iso.datetime().describe('The moment that is explained.'),
    state: CheckState.describe('State of the check at that moment.'),
    verdict: z
      .enum(['alerted', 'held', 'skipped', 'not_due', 'not_checked', 'fine'])
      .describe(
        'alerted: its last change was announced. held: that is decided later. skipped: it was announced to nobody. not_due: too little had failed for a change. not_checked: nobody looked. fine: there was nothing to tell.',
      ),
    sentence: z.string().describe('All of it for people, the answer first.'),
    rules: z.array(RuleOutcome).describe('What each rule of alerting said to the change of state, in their order.'),
    transition: TransitionRecord.nullable().describe('The last change of state up to then; null before the first.'),
    results: z.array(ResultRecord).describe('The last results up to then, newest first, as far as they are kept.'),
    gaps: z.array(GapRecord).describe('When nobody looked shortly before, in the order of time.'),
    deliveries: z.array(DeliveryRecord).describe('What was sent of that change up to then, in the order of time.'),
    next: z
      .object({
        at: z.iso.datetime().describe('When it is, or was, due.'),
        what: z
          .enum(['probe', 'silence', 'repeat', 'catch_up', 'escalation'])
          .describe(
            'probe: it is probed. silence: it fails if nothing comes. repeat: a reminder. catch_up: what was held back is looked at. escalation: its next step calls others.',
          ),
      })
      .nullable()
      .describe('What comes next for it; null when nothing is known of that.'),
  })
  .meta({ id: 'Explanation' });
export type Explanation = z.infer<typeof Explanation>;
