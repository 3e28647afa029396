import * as z from 'zod';
import type { Context } from '#lib/access/context.ts';
import { redactUrls, seesSecrets } from '#lib/access/redaction.ts';
import { AlertDecision } from '#lib/alerting/decide/transition.ts';
import { CheckState, EntityState } from '#lib/catalog/states.ts';
import { IdOf } from '#lib/platform/http/members.ts';
import { pick } from '#lib/platform/plain-data.ts';

export const TransitionCause = z
  .enum(['result', 'silence', 'check_disabled', 'check_enabled', 'check_deleted'])
  .describe(
    'result: a probe or a push. silence: a push check was silent past its grace. check_disabled, check_deleted: a user changed the check; recorded, and never announced. check_enabled: reserved.',
  );
export type TransitionCause = z.infer<typeof TransitionCause>;

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
