import * as z from 'zod';
import type { Context } from '#lib/access/context.ts';
import { redactUrls, seesSecrets } from '#lib/access/redaction.ts';
import { CheckState, EntityState } from '#lib/catalog/states.ts';
import { AlertUrgency } from '#lib/channels/alert.ts';
import { TransitionCause } from '#lib/checks/state/transition.ts';
import { IdOf } from '#lib/platform/http/route.ts';
import { pick } from '#lib/platform/plain-data.ts';

/** Why a transition has no alert, or none yet: the first rule that stops it (rules.ts), by its name. */
export const AlertReason = z.enum([
  'configuration',
  'silenced',
  'initial',
  'degraded_off',
  'recovery_off',
  'flapping',
  'cooldown',
  'dependency',
  'maintenance',
  'remediation',
  'no_channels',
]);
export type AlertReason = z.infer<typeof AlertReason>;

/** What a rule looked at, for people: times in ISO 8601. */
export const RuleFacts = z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()]));
export type RuleFacts = z.infer<typeof RuleFacts>;

/** What the alert is held or skipped for, or says as its cause. */
const Because = z.object({
  incident_id: z.string().nullable().describe('The incident that explains it.'),
  root_entity_id: z.string().nullable().describe('The entity that the incident is about.'),
  root_entity_name: z.string().nullable().describe('Its name at that moment.'),
  root_state: EntityState.nullable().describe('Its state at that moment.'),
  root_since: z.iso.datetime().nullable().describe('Since when it was in that state.'),
  window_id: z.string().nullable().describe('The maintenance window that holds it.'),
  look_again_at: z.iso.datetime().nullable().describe('When a held alert is looked at again.'),
});

/** Whether a transition is announced, as it stands on the wire and in the transition (docs/CONTRACT.md#alerts). */
export const AlertDecision = z.object({
  decision: z
    .enum(['planned', 'held', 'skipped'])
    .describe('planned: its alert was handed over. held: not decided yet. skipped: nobody is told of it.'),
  reason: AlertReason.nullable().describe(
    'Why no alert was planned, the first that holds; null when one was. configuration: a user changed the check. silenced: its policy is silenced. initial: a new check came up. degraded_off: notify_on_degraded is false, and nothing else changed. recovery_off: notify_on_recovery is false. flapping: an alert said that it flaps, and it has not kept one state since. cooldown: the last alert was less than cooldown_seconds ago. dependency: it follows from the failure of what its entity depends on, which the channels were told of, or it is held until that is known. maintenance: a maintenance window is open, or was until a moment ago. remediation: an action is to repair it before anybody is told. no_channels: it has none that hears it now.',
  ),
  deliveries: z.array(z.string()).describe('Ids in the delivery log, one a channel.'),
  urgency: AlertUrgency.describe('low: it need not wake anybody.'),
  because: Because.nullable().describe('What it is held for, or what caused it; null where nothing else did.'),
  facts: RuleFacts.describe('What the rule looked at that decided, such as cooldown_until; empty when it was planned.'),
  decided_at: z.iso.datetime().describe('When this was decided.'),
});
export type AlertDecision = z.infer<typeof AlertDecision>;

/** A transition on the wire (docs/CONTRACT.md#transitions). */
export const TransitionRecord = z
  .object({
    id: z.string().describe('The same as transition_id.'),
    transition_id: IdOf('the transition'),
    entity_id: IdOf('the entity that it is about'),
    entity_name: z.string().describe('Name of the entity at that moment.'),
    blueprint_slug: z.string().describe('Slug of its blueprint.'),
    entity_slug: z.string().describe('Slug of the entity.'),
    check_id: IdOf('the check that changed'),
    tenant_id: IdOf('the account'),
    from_state: EntityState.describe('State of the entity before; equal to to_state where that did not move.'),
    to_state: EntityState.describe('State of the entity after.'),
    check_from_state: CheckState.describe('State of the check before.'),
    check_to_state: CheckState.describe('State of the check after.'),
    timestamp: z.iso.datetime().describe('When it changed, in UTC.'),
    outage_started_at: z.iso
      .datetime()
      .nullable()
      .describe('Of a change to down: when the first of the failed runs was checked. Null of others.'),
    cause: TransitionCause,
    error_message: z.string().describe('Error or warning of the deciding result; empty when none.'),
    alert: AlertDecision.describe('Whether it was announced, and if not, why.'),
  })
  .meta({ id: 'Transition' });
export type TransitionRecord = z.infer<typeof TransitionRecord>;

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
