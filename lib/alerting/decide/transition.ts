import * as z from 'zod';
import type { Context } from '#lib/access/context.ts';
import { redactUrls, seesSecrets } from '#lib/access/redaction.ts';
import type { IncidentRef } from '#lib/catalog/entity.ts';
import { EntityState } from '#lib/catalog/states.ts';
import { AlertUrgency, type FlapNote } from '#lib/channels/alert.ts';
import { StateTransition, type TransitionItem } from '#lib/checks/state/transition.ts';
import type { Env } from '#lib/env.ts';
import { TRANSITIONS, under } from '#lib/keys.ts';
import { pick } from '#lib/platform/plain-data.ts';
import type { DecisionInput } from './rule-input.ts';
import { REASONS } from './rules.ts';

/** Why a transition has no alert, or none yet: the first rule that stops it, by its name. */
export const AlertReason = z.enum(REASONS.map(({ name }) => name));
export type AlertReason = z.infer<typeof AlertReason>;

/** What a rule looked at, for people: times in ISO 8601. */
export const RuleFacts = z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()]));
export type RuleFacts = z.infer<typeof RuleFacts>;

/** What the alert is held or skipped for, or says as its cause. */
const Attribution = z.object({
  incident_id: z.string().nullable().describe('The incident that explains it.'),
  root_entity_id: z.string().nullable().describe('The entity that the incident is about.'),
  root_entity_name: z.string().nullable().describe('Its name at that moment.'),
  root_state: EntityState.nullable().describe('Its state at that moment.'),
  root_since: z.iso.datetime().nullable().describe('Since when it was in that state.'),
  window_id: z.string().nullable().describe('The maintenance window that holds it.'),
  next_evaluation_at: z.iso.datetime().nullable().describe('When a held alert is looked at again.'),
});

/** Whether a transition is announced, as it stands on the wire and in the transition (docs/use/alerts.md#decisions). */
export const AlertDecision = z.object({
  decision: z
    .enum(['planned', 'held', 'skipped'])
    .describe('planned: queued for delivery. held: decision deferred. skipped: not sent.'),
  reason: AlertReason.nullable().describe(
    [
      'First rule that stopped the alert; null if it was planned.',
      ...REASONS.map(({ name, meaning }) => `${name}: ${meaning}`),
    ].join(' '),
  ),
  deliveries: z.array(z.string()).describe('Ids in the delivery log, one a channel.'),
  urgency: AlertUrgency.describe('low: it need not wake anybody.'),
  attributed_to: Attribution.nullable().describe('What it is held for, or what caused it; null where nothing else did.'),
  facts: RuleFacts.describe('What the rule looked at that decided, such as cooldown_until; empty when it was planned.'),
  decided_at: z.iso.datetime().describe('When this was decided.'),
});
export type AlertDecision = z.infer<typeof AlertDecision>;

/** A transition on the wire (docs/use/states-and-history.md#transitions). */
export const TransitionRecord = StateTransition.extend({
  alert: AlertDecision.describe('Whether it was announced, and if not, why.'),
}).meta({ id: 'Transition' });
export type TransitionRecord = z.infer<typeof TransitionRecord>;

/**
 * A stored transition with its alert decision. Immutable, except that a held alert is decided once
 * (final-decision.ts). About 1.2 KB.
 */
export type DecidedTransition = TransitionItem &
  Pick<TransitionRecord, 'alert'> & {
    /** What its alert was decided on. */
    decided_on: DecisionInput;
    /** Its alert is the first to say that the check flaps. */
    flapping?: FlapNote;
    /** The incident that its entity was part of then; absent without one, and where that was not known yet. */
    incident?: IncidentRef;
    /** With it the failure of its entity is over, which others may follow from. */
    ends_incident?: true;
  };

/** The latest change of a check's state; undefined before the first, and once it is no longer kept. */
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

/** A transition as the caller may see it: a read-only key sees no URL in its error. */
export const transitionRecord = (
  { caller }: Pick<Context, 'caller'>,
  item: Omit<TransitionRecord, 'id'>,
): TransitionRecord =>
  pick(TransitionRecord, {
    ...item,
    id: item.transition_id,
    error_message: seesSecrets(caller) ? item.error_message : redactUrls(item.error_message),
  });
