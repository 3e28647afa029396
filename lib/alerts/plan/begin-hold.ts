import { knewBefore } from '#lib/alerting/decide/recipients.ts';
import type { CheckItem } from '#lib/checks/check-item.ts';
import { nextCheck, replaceCheck } from '#lib/checks/next-check.ts';
import type { TransitionItem } from '#lib/checks/state/transition.ts';
import type { Env } from '#lib/env.ts';
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

/**
 * In place of a catch-up alert its cause is looked for. Answers the deadline at which that begins. The check gets
 * another version, so that a change of its state decided meanwhile, which knew of nothing held, is decided anew.
 */
export async function beginHold(
  { ports, keys }: Env,
  { check, transition, hold, now, done }: Holding,
): Promise<DueDeadline[] | typeof AGAIN> {
  const held: HeldAlert = {
    ...{ transition_sk: transition.sk, kind: 'catch_up', reason: 'dependency', from: now },
    ...knewBefore(check.alerts),
  };
  const token = ports.ids.token();
  const written = await commit(ports, [
    ...done,
    replaceCheck(check, nextCheck(check, token, {})),
    ...deadlineWrites(keys, 'hold', check, token, hold, { deadline: now, note: { held } }),
  ]);
  return written.ok ? [dueDeadline('hold', check, now)] : AGAIN;
}
