import * as z from 'zod';
import type { Context } from '#lib/access/context.ts';
import { redactUrls } from '#lib/access/redaction.ts';
import { EntityState } from '#lib/catalog/entity.ts';
import type { TransitionItem } from './transition-item.ts';

const CheckState = z.enum(['up', 'down', 'unknown']);

/** A transition on the wire (docs/CONTRACT.md#transitions). */
export const TransitionRecord = z
  .object({
    id: z.string().describe('The same as transition_id.'),
    transition_id: z.string(),
    entity_id: z.string(),
    entity_name: z.string().describe('At that moment.'),
    check_id: z.string(),
    tenant_id: z.string(),
    from_state: EntityState.describe('Of the entity; equal to to_state where the aggregate did not move.'),
    to_state: EntityState,
    check_from_state: CheckState,
    check_to_state: CheckState,
    timestamp: z.iso.datetime(),
    cause: z.enum(['result', 'silence', 'check_disabled', 'check_enabled', 'check_deleted']),
    error_message: z.string().describe('Of the deciding result, empty when none.'),
    alert: z.object({
      decision: z.enum(['planned', 'skipped']),
      reason: z
        .enum(['configuration', 'silenced', 'initial', 'recovery_off', 'cooldown', 'no_channels'])
        .nullable()
        .describe('Why no alert was planned; null when one was.'),
      deliveries: z.array(z.string()).describe('Ids in the delivery log.'),
    }),
  })
  .meta({ id: 'Transition' });
export type TransitionRecord = z.infer<typeof TransitionRecord>;

/** A transition as the caller may see it: a read-only key sees no URL in its error. */
export const transitionRecord = ({ caller }: Pick<Context, 'caller'>, item: TransitionItem): TransitionRecord => ({
  id: item.transition_id,
  transition_id: item.transition_id,
  entity_id: item.entity_id,
  entity_name: item.entity_name,
  check_id: item.check_id,
  tenant_id: item.tenant_id,
  from_state: item.from_state,
  to_state: item.to_state,
  check_from_state: item.check_from_state,
  check_to_state: item.check_to_state,
  timestamp: item.timestamp,
  cause: item.cause,
  error_message: caller.is_read_only ? redactUrls(item.error_message) : item.error_message,
  alert: item.alert,
});
