import type { Context } from '#lib/access/context.ts';
import type { EntityItem } from '#lib/catalog/entity-item.ts';
import type { CheckItem } from '#lib/checks/check-item.ts';
import { changeState, type StateChange } from '#lib/checks/state/change-state.ts';
import { aggregate } from '#lib/checks/state/next-state.ts';
import { announcedState } from '#lib/health/state/announced.ts';
import { readBasis } from '#lib/health/state/read-basis.ts';
import type { TransitionCause } from '#lib/health/state/transition-record.ts';
import type { DueDeadline } from '#lib/messages.ts';
import type { Write } from '#lib/platform/ports.ts';
import { type DeadlineEntry, deadlineWrites, dueDeadline, mergeDeadline } from '#lib/schedule/deadlines.ts';

// What a check that is disabled or deleted leaves behind: a transition to unknown, or a closing note without one.

/** The transition by which configuration makes a check's state unknown; undefined when it is already. */
export async function toUnknown(
  context: Context,
  check: CheckItem,
  cause: Extract<TransitionCause, 'check_disabled' | 'check_deleted'>,
): Promise<StateChange | 'entity gone' | undefined> {
  const { ports, keys, caller } = context;
  if (check.state === 'unknown') return undefined;
  const basis = await readBasis(context, check);
  if (!basis) return 'entity gone';
  const { retention_days } = caller;
  const now = ports.clock.now();
  return changeState(keys, ports.ids.token(), basis, {
    check,
    to: 'unknown',
    cause,
    error_message: '',
    now,
    retention_days,
  });
}

/**
 * A check whose state is unknown already is disabled or deleted without a transition that could bring a closing note.
 * Should its channels believe it down even so, as an earlier note failed or was silenced, its catch-up brings one.
 */
export async function closingLook(
  { ports, keys, tenant }: Context,
  check: CheckItem,
  change: StateChange | undefined,
): Promise<{ writes: Write[]; schedule: DueDeadline[] }> {
  if (change || announcedState(check.alerts) === 'up') return { writes: [], schedule: [] };
  const present = await ports.table.get<DeadlineEntry>(keys.entry('catch_up', tenant, check.id));
  const next = mergeDeadline(present, { deadline: ports.clock.now(), note: { closing: true } });
  return {
    writes: deadlineWrites(keys, 'catch_up', check, ports.ids.token(), present, next),
    schedule: [dueDeadline('catch_up', check, next.deadline)],
  };
}

/** A check of unknown state leaves its entity without a transition. */
export async function withoutCheck({ ports, keys, tenant }: Context, check: CheckItem): Promise<Write[]> {
  const entity = await ports.table.get<EntityItem>(keys.entity(tenant, check.entity_id));
  if (!entity) return [];
  const { [check.id]: _gone, ...checks } = entity.checks;
  const next: EntityItem = { ...entity, v: ports.ids.token(), checks, state: aggregate(checks) };
  return [{ put: next, if: { version: entity.v } }];
}
