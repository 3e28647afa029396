import * as z from 'zod';
import type { Context } from '#lib/access/context.ts';
import { redactUrls, seesSecrets } from '#lib/access/redaction.ts';
import type { IncidentRef } from '#lib/catalog/entity.ts';
import { EntityState } from '#lib/catalog/states.ts';
import { AlertUrgency, type FlappingFigures } from '#lib/channels/alert.ts';
import { StateTransition, type TransitionItem } from '#lib/checks/state/transition.ts';
import type { Env } from '#lib/env.ts';
import { TRANSITIONS, under } from '#lib/keys.ts';
import { pick } from '#lib/platform/plain-data.ts';
import type { DecisionInput } from './rule-input.ts';
import { REASON_RULES } from './rules.ts';

/** The first rule that stopped the alert of a transition. */
export const AlertReason = z.enum(REASON_RULES.map(({ name }) => name));
export type AlertReason = z.infer<typeof AlertReason>;

/** The values that a rule read, human-readable: times in ISO 8601. */
export const RuleFacts = z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()]));
export type RuleFacts = z.infer<typeof RuleFacts>;

/** The cause of an alert, or the reason of its hold. */
const AttributedTo = z.object({
  incident_id: z.string().nullable().describe('Incident of the root cause.'),
  root_entity_id: z.string().nullable().describe('Entity of the root cause.'),
  root_entity_name: z.string().nullable().describe('Name of that entity at the time.'),
  root_state: EntityState.nullable().describe('State of that entity at the time.'),
  root_since: z.iso.datetime().nullable().describe('Start of that state.'),
  window_id: z.string().nullable().describe('Maintenance window that holds the alert.'),
  next_evaluation_at: z.iso.datetime().nullable().describe('Time of the next recheck of the held alert.'),
});

/** The alert decision of a transition, as returned and stored (docs/use/alerts.md#decisions). */
export const AlertDecision = z.object({
  decision: z
    .enum(['planned', 'held', 'skipped'])
    .describe('planned: queued for delivery. held: decision deferred. skipped: not sent.'),
  reason: AlertReason.nullable().describe(
    [
      'First rule that stopped the alert; null if it was planned.',
      ...REASON_RULES.map(({ name, meaning }) => `${name}: ${meaning}`),
    ].join(' '),
  ),
  deliveries: z.array(z.string()).describe('Ids in the delivery log, one per channel.'),
  urgency: AlertUrgency.describe('high: urgent. low: can wait.'),
  attributed_to: AttributedTo.nullable().describe('Reason of the hold, or the upstream cause; null without one.'),
  facts: RuleFacts.describe(
    'Values read by the deciding rule, such as cooldown_until; empty if the alert was planned.',
  ),
  decided_at: z.iso.datetime().describe('Time of the decision.'),
});
export type AlertDecision = z.infer<typeof AlertDecision>;

/** A transition as returned (docs/use/states-and-history.md#transitions). */
export const TransitionRecord = StateTransition.extend({
  alert: AlertDecision.describe('Alert decision, with its reason.'),
}).meta({ id: 'Transition' });
export type TransitionRecord = z.infer<typeof TransitionRecord>;

/** A stored transition, 1.2 KB. Immutable, except that a held alert is decided once (final-decision.ts). */
export type DecidedTransition = TransitionItem &
  Pick<TransitionRecord, 'alert'> & {
    decided_on: DecisionInput;
    /** Set if its alert is the first to report flapping. */
    flapping?: FlappingFigures;
    /** The incident of its entity at the time; absent without one, or if it was not known yet. */
    incident?: IncidentRef;
    /** Set if it ends the notified failure of the entity. */
    ends_failure?: true;
  };

/** Returns the latest state change of a check; undefined before the first or after its retention. */
export async function lastTransition(
  { ports, keys }: Env<'table'>,
  tenant_id: string,
  check_id: string,
): Promise<DecidedTransition | undefined> {
  const { items } = await ports.table.query<DecidedTransition>({
    partition: keys.ofCheck(tenant_id, check_id),
    ...under(TRANSITIONS),
    descending: true,
    limit: 1,
  });
  return items[0];
}

/** Returns a transition as visible to the caller: without `write`, URLs in its error message are hidden. */
export const transitionRecord = (
  { caller }: Pick<Context, 'caller'>,
  item: Omit<TransitionRecord, 'id'>,
): TransitionRecord =>
  pick(TransitionRecord, {
    ...item,
    id: item.transition_id,
    error_message: seesSecrets(caller) ? item.error_message : redactUrls(item.error_message),
  });
