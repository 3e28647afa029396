import type { CheckItem } from '#lib/checks/check-item.ts';
import type { Env } from '#lib/env.ts';
import { knewBefore } from '#lib/health/alerting/listeners.ts';
import type { TransitionItem } from '#lib/health/state/transition-item.ts';
import type { DueDeadline } from '#lib/messages.ts';
import type { Write } from '#lib/platform/ports.ts';
import { AGAIN, commit } from '#lib/platform/table/retry.ts';
import { type DeadlineEntry, deadlineWrites, dueDeadline } from '#lib/schedule/deadlines.ts';
import type { HeldAlert } from '#lib/schedule/entries.ts';

type Holding = {
  check: CheckItem;
  transition: TransitionItem;
  /** The deadline that it takes the place of, if there is one. */
  hold: DeadlineEntry | undefined;
  now: number;
  /** The writes that end the deadline of the alert. */
  done: readonly Write[];
};

/** In place of a catch-up alert its cause is looked for. Answers the deadline at which that begins. */
export async function beginHold(
  { ports, keys }: Env,
  { check, transition, hold, now, done }: Holding,
): Promise<DueDeadline[] | typeof AGAIN> {
  const held: HeldAlert = {
    ...{ transition_sk: transition.sk, kind: 'catch_up', reason: 'dependency', from: now },
    ...knewBefore(check.alerts),
  };
  const written = await commit(ports, [
    ...done,
    { check: keys.check(check.tenant_id, check.id), if: { version: check.v } },
    ...deadlineWrites(keys, 'hold', check, ports.ids.token(), hold, { deadline: now, note: { held } }),
  ]);
  return written.ok ? [dueDeadline('hold', check, now)] : AGAIN;
}
