import type { TransitionItem } from '#lib/checks/state/transition.ts';
import type { Env } from '#lib/env.ts';

/** The members of the event (docs/CONTRACT.md#events), in its order. */
export const EVENT_MEMBERS = {
  entity_id: true,
  entity_name: true,
  check_id: true,
  tenant_id: true,
  from_state: true,
  to_state: true,
  check_from_state: true,
  check_to_state: true,
  transition_id: true,
  timestamp: true,
} as const;
const names = Object.keys(EVENT_MEMBERS) as (keyof typeof EVENT_MEMBERS)[];

/**
 * The state-change event, with the check's own states beside the entity's. It is the body of a webhook, the payload on
 * NATS and the detail on the bus.
 */
export type StateChangeEvent = Pick<TransitionItem, keyof typeof EVENT_MEMBERS>;

export const eventOf = (transition: TransitionItem): StateChangeEvent =>
  Object.fromEntries(names.map((name) => [name, transition[name]])) as StateChangeEvent;

/** Puts the event of a transition on the bus: of every change that was found out, announced or not. */
export async function publishEvent({ ports }: Env, transition: TransitionItem): Promise<void> {
  if (transition.cause !== 'result' && transition.cause !== 'silence') return;
  await ports.bus.publish([{ detail_type: 'state_change', detail: eventOf(transition) }]);
}
