import type { BoundActionItem } from '#lib/actions/action-item.ts';
import type { TransitionItem } from '#lib/checks/state/transition.ts';

/** Whether a transition of the check of an action fires it (docs/use/actions.md#settings). Pure. */
export function firesOn(
  { trigger_to_state, created_at }: Pick<BoundActionItem, 'trigger_to_state' | 'created_at'>,
  transition: Pick<TransitionItem, 'cause' | 'timestamp' | 'check_to_state' | 'from_state' | 'to_state'>,
): boolean {
  if (transition.cause !== 'result' && transition.cause !== 'missed_heartbeat') return false;
  if (transition.timestamp < created_at) return false;
  if (trigger_to_state === '' || transition.check_to_state === trigger_to_state) return true;
  return transition.to_state === trigger_to_state && transition.from_state !== trigger_to_state;
}
