import type { Keys } from '#lib/keys.ts';
import type { DueDeadline } from '#lib/messages.ts';
import type { Write } from '#lib/platform/ports.ts';
import { deadlineWrites, dueDeadline, type Owner } from '#lib/schedule/entries.ts';
import { type AlertItem, destinationTold } from './alert-item.ts';
import type { DeadlineEntry } from './notes.ts';

/** Pure: the writes by which a held alert waits no longer for a repair, and the deadline to send; none for others. */
export function endAwait(
  keys: Keys,
  owner: Owner,
  hold: DeadlineEntry | undefined,
  token: string,
  now: number,
): { writes: Write[]; deadlines: DueDeadline[] } {
  const held = hold?.note?.held;
  if (held?.reason !== 'remediation') return { writes: [], deadlines: [] };
  const next = { deadline: now, note: { held: { ...held, from: now } } };
  return {
    writes: deadlineWrites(keys, 'hold', owner, token, hold, next),
    deadlines: [dueDeadline('hold', owner, now)],
  };
}

/**
 * Pure: the write by which an alert that is held until its cause is known counts as told to those who heard of the
 * failure by another; none for others. They hear no more of its beginning, and of its end.
 */
export function toldMeanwhile(
  keys: Keys,
  owner: Owner,
  hold: DeadlineEntry | undefined,
  { to }: Pick<AlertItem, 'to'>,
  token: string,
): Write[] {
  const held = hold?.note?.held;
  if (held?.reason !== 'dependency') return [];
  const told = [...new Set([...(held.told ?? []), ...to.map(destinationTold)])];
  const next = { deadline: hold!.deadline, note: { held: { ...held, told } } };
  return deadlineWrites(keys, 'hold', owner, token, hold, next);
}
