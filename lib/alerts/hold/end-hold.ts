import type { Env } from '#lib/env.ts';
import type { HoldItem } from '#lib/health/dependency/hold-item.ts';
import type { TransitionItem } from '#lib/health/state/transition-item.ts';
import type { Write } from '#lib/platform/ports.ts';
import { iso } from '#lib/platform/time.ts';

/**
 * Ends a hold whose failure is over: nobody is told any more. When somebody was faster nothing happens, and what stands
 * then has to be looked at again.
 */
export async function endHold({ ports, keys }: Env, hold: HoldItem): Promise<void> {
  const { tenant_id, check_id, transition_sk } = hold;
  const pk = keys.ofCheck(tenant_id, check_id);
  const transition = await ports.table.get<TransitionItem>({ pk, sk: transition_sk });
  await ports.table.transact([
    { delete: { pk: hold.pk, sk: hold.sk }, if: { version: hold.v } },
    ...leaveRoot(keys, hold),
    ...skipWrites(transition, ports.ids.token(), ports.clock.now()),
  ]);
}

/** A check that is held waits no more with the others under its root. */
export const leaveRoot = (keys: Env['keys'], { tenant_id, check_id, under }: HoldItem): Write[] =>
  under === null ? [] : [{ delete: keys.heldCheck(tenant_id, under, check_id) }];

/** The end of an alert that was held: it is skipped, for the reason that held it. None if it was decided before. */
export function skipWrites(transition: TransitionItem | undefined, token: string, now: number): Write[] {
  if (transition?.alert.decision !== 'held' || transition.v === undefined) return [];
  const alert = { ...transition.alert, decision: 'skipped' as const, decided_at: iso(now) };
  const put: TransitionItem = { ...transition, v: token, alert };
  return [{ put, if: { version: transition.v } }];
}
