import type { BoundActionItem } from '#lib/actions/action-item.ts';
import type { TransitionItem } from '#lib/checks/state/transition.ts';

/**
 * Whether a transition of its check, or of its entity, fires an action. Changes by configuration or before the action
 * was created do not (docs/use/actions.md#settings). Pure.
 */
export function firesOn(
  { trigger_to_state, created_at }: Pick<BoundActionItem, 'trigger_to_state' | 'created_at'>,
  transition: Pick<TransitionItem, 'cause' | 'timestamp' | 'check_to_state' | 'from_state' | 'to_state'>,
): boolean {
  if (transition.cause !== 'result' && transition.cause !== 'missed_heartbeat') return false;
  if (transition.timestamp < created_at) return false;
  if (trigger_to_state === '' || transition.check_to_state === trigger_to_state) return true;
  return transition.to_state === trigger_to_state && transition.from_state !== trigger_to_state;
}
