import type { CheckState } from '#lib/catalog/states.ts';
import type { CheckItem } from '#lib/checks/check-item.ts';
import type { Keys } from '#lib/keys.ts';
import type { DueDeadline } from '#lib/messages.ts';
import type { Write } from '#lib/platform/ports.ts';
import { type DeadlineEntry, deadlineWrites, dueDeadline } from '#lib/schedule/deadlines.ts';
import type { Owner } from '#lib/schedule/entries.ts';
import type { AlertItem } from './alert-item.ts';
import { destinationTold } from './recipients.ts';

/** What is to repair a failure before anybody is told, and until when (epoch ms) that is waited for. */
export type AwaitedRepair = { action_id: string; until: number };

/**
 * Pure: the action whose first verdict the alert of a check waits for once it comes to a state, at `now` (epoch ms): as
 * long as that takes at most, its settling time and two more results. Of several the one that takes longest.
 */
export function awaitedRepair(
  { repairs = {}, interval_seconds, timeout_ms }: Pick<CheckItem, 'repairs' | 'interval_seconds' | 'timeout_ms'>,
  to: CheckState,
  now: number,
): { repair?: AwaitedRepair } {
  const [slowest] = Object.entries(repairs)
    .filter(([, { state }]) => state === to)
    .sort(([, a], [, b]) => b.settle_seconds - a.settle_seconds);
  if (!slowest) return {};
  const [action_id, { settle_seconds }] = slowest;
  return { repair: { action_id, until: now + (settle_seconds + 2 * interval_seconds) * 1000 + timeout_ms } };
}

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
