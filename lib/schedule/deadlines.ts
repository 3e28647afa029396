import type { Keys } from '#lib/keys.ts';
import type { DueDeadline } from '#lib/messages.ts';
import type { Write } from '#lib/platform/ports.ts';
import {
  type Deadline,
  type DeadlineKind,
  type DeadlineNote,
  deadlineEntry,
  type EntryItem,
  type Owner,
} from './entries.ts';

/** A deadline as it is stored. */
export type DeadlineEntry = EntryItem & Deadline;

/** The message of a deadline of a check that is due at `at` (epoch ms). */
export const dueDeadline = (
  kind: DueDeadline['kind'],
  { tenant_id, entity_id, id: check_id }: Owner,
  at: number,
): DueDeadline => ({ kind, tenant_id, entity_id, check_id, at });

/** Pure: merges a wanted deadline into the stored one: the earlier time and both notes; of two series the later one. */
export function mergeDeadline(present: Deadline | undefined, wanted: Deadline): Deadline {
  if (!present) return wanted;
  const note = isLaterSeries(present.note, wanted.note)
    ? { ...wanted.note, ...present.note }
    : { ...present.note, ...wanted.note };
  return { deadline: Math.min(present.deadline, wanted.deadline), ...(Object.keys(note).length > 0 && { note }) };
}

function isLaterSeries(one: DeadlineNote = {}, other: DeadlineNote = {}): boolean {
  const [a, b] = [one.failed_at ?? 0, other.failed_at ?? 0];
  return a > b || (a === b && (one.tries ?? 0) > (other.tries ?? 0));
}

/** Replaces `present` by `next` on its version: creates, replaces, deletes, or writes nothing. */
export function deadlineWrites(
  keys: Keys,
  kind: DeadlineKind,
  owner: Owner,
  token: string,
  present: DeadlineEntry | undefined,
  next: Deadline | undefined,
): Write[] {
  if (next) {
    const put = deadlineEntry(keys, kind, owner, token, next.deadline, next.note);
    return [{ put, if: present ? { version: present.v } : 'absent' }];
  }
  if (!present) return [];
  return [{ delete: keys.entry(kind, owner.tenant_id, owner.id), if: { version: present.v } }];
}
