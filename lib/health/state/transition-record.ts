import * as z from 'zod';
import type { Context } from '#lib/access/context.ts';
import { redactUrls, seesSecrets } from '#lib/access/redaction.ts';
import { CheckState, EntityState } from '#lib/catalog/states.ts';
import { IdOf } from '#lib/platform/http/members.ts';
import { pick } from '#lib/platform/pick.ts';

export const TransitionCause = z
  .enum(['result', 'silence', 'check_disabled', 'check_enabled', 'check_deleted'])
  .describe(
    'result: a probe or a push. silence: a push check was silent past its grace. check_disabled, check_deleted: a user changed the check; recorded, and never announced. check_enabled: reserved.',
  );
export type TransitionCause = z.infer<typeof TransitionCause>;

/** Why no alert was planned: the first that holds (docs/CONTRACT.md#alerts). */
export const SkipReason = z.enum([
  'configuration',
  'silenced',
  'initial',
  'degraded_off',
  'recovery_off',
  'flapping',
  'cooldown',
  'no_channels',
]);
export type SkipReason = z.infer<typeof SkipReason>;

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
    alert: z
      .object({
        decision: z.enum(['planned', 'skipped']).describe('Whether it was announced to the channels of the check.'),
        reason: SkipReason.nullable().describe(
          'Why no alert was planned, the first that holds; null when one was. configuration: a user changed the check. silenced: its policy is silenced. initial: a new check came up. degraded_off: notify_on_degraded is false, and nothing else changed. recovery_off: notify_on_recovery is false. flapping: an alert said that it flaps, and it has not kept one state since. cooldown: the last alert was less than cooldown_seconds ago. no_channels: it has none.',
        ),
        deliveries: z.array(z.string()).describe('Ids in the delivery log, one a channel.'),
      })
      .describe('Whether it was announced, and if not, why.'),
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
