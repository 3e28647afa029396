import type { TransitionItem } from '#lib/health/state/transition-item.ts';

/**
 * The state-change event (docs/CONTRACT.md#events), with the check's own states beside the entity's. It is the body of
 * a webhook, the payload on NATS and the detail on the bus.
 */
export type StateChangeEvent = Pick<
  TransitionItem,
  | 'entity_id'
  | 'entity_name'
  | 'check_id'
  | 'tenant_id'
  | 'from_state'
  | 'to_state'
  | 'check_from_state'
  | 'check_to_state'
  | 'transition_id'
  | 'timestamp'
>;

/** The event of a transition: these members and no others, in this order. */
export const eventOf = (transition: TransitionItem): StateChangeEvent => ({
  entity_id: transition.entity_id,
  entity_name: transition.entity_name,
  check_id: transition.check_id,
  tenant_id: transition.tenant_id,
  from_state: transition.from_state,
  to_state: transition.to_state,
  check_from_state: transition.check_from_state,
  check_to_state: transition.check_to_state,
  transition_id: transition.transition_id,
  timestamp: transition.timestamp,
});
