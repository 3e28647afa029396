import type { Keys } from '#lib/keys.ts';
import type { DueDeadline } from '#lib/messages.ts';
import type { Write } from '#lib/platform/ports.ts';
import { deadlineWrites, dueDeadline, type Owner } from '#lib/schedule/entries.ts';
import type { DeadlineEntry } from './notes.ts';

/** Returns the writes and the deadline that end the wait of a held alert for its remediation, if it waits. Pure. */
export function stopAwaiting(
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
