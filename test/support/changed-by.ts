import { type ChangeBasis, decideChange } from '#lib/alerting/decide/decide-change.ts';
import type { DecidedTransition } from '#lib/alerting/decide/transition.ts';
import { type ChangedState, changeState, type StateChangeInput } from '#lib/checks/state/change-state.ts';
import type { Keys } from '#lib/keys.ts';

/** Applies a state change and decides its alert on the given basis. */
export function changedBy(
  keys: Keys,
  token: string,
  basis: ChangeBasis,
  change: StateChangeInput,
): ChangedState & { transition: DecidedTransition } {
  const decide = (about: Parameters<typeof decideChange>[2]) => decideChange(keys, basis, about, token);
  return changeState(keys, token, { entity: basis.entity, decide }, change) as ReturnType<typeof changedBy>;
}
