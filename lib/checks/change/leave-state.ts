import type { Context } from '#lib/access/context.ts';
import type { EntityItem } from '#lib/catalog/entity.ts';
import type { CheckItem } from '#lib/checks/check-item.ts';
import { type ChangedState, changeState } from '#lib/checks/state/change-state.ts';
import { aggregate } from '#lib/checks/state/next-state.ts';
import type { StateContext } from '#lib/checks/state/on-change.ts';
import type { TransitionCause } from '#lib/checks/state/transition.ts';
import type { Write } from '#lib/platform/ports.ts';

// A check that is disabled or deleted leaves its state: by a transition to unknown, or without one if it has none.

/** The transition by which configuration makes a check's state unknown; undefined when it is already. */
export async function toUnknown(
  context: StateContext,
  check: CheckItem,
  cause: Extract<TransitionCause, 'check_disabled' | 'check_deleted'>,
): Promise<ChangedState | 'entity gone' | undefined> {
  const { ports, keys, caller } = context;
  if (check.state === 'unknown') return undefined;
  const read = await context.onChange.read(context, check);
  if (!read) return 'entity gone';
  const { retention_days } = caller;
  const now = ports.clock.now();
  return changeState(keys, ports.ids.token(), read, {
    check,
    to: 'unknown',
    cause,
    error_message: '',
    now,
    retention_days,
  });
}

/** A check of unknown state leaves its entity without a transition. */
export async function withoutCheck({ ports, keys, tenant }: Context, check: CheckItem): Promise<Write[]> {
  const entity = await ports.table.get<EntityItem>(keys.entity(tenant, check.entity_id));
  if (!entity) return [];
  const { [check.id]: _gone, ...checks } = entity.checks;
  const next: EntityItem = { ...entity, v: ports.ids.token(), checks, state: aggregate(checks) };
  return [{ put: next, if: { version: entity.v } }];
}
