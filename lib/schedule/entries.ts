import type { EntryKind, Keys } from '#lib/keys.ts';
import type { DueDeadline } from '#lib/messages.ts';
import type { Item, Write } from '#lib/platform/ports.ts';
import { type IntervalSchedule, intervalScheduleOf, rollupRhythm } from './slots.ts';

/**
 * What the generator reads, under `keys.entries(shard)`, about 250 bytes each:
 * - a rhythm: a job of a cell (or a run of an action) at each slot after `from`; the writer of the entry has sent those
 *   up to `from`;
 * - or a deadline (epoch ms): a message when it is due, and at each tick after that until its handler removes or moves
 *   it. It may be too early (its handler then moves it), never too late.
 * Written with the check or action; removed with it or by the reclaimer.
 */
export type EntryItem = ProbeEntry | RollupEntry | ActionEntry | DeadlineEntry;

type EntryBase = Item & { v: string };

/** The checks of a cell that have the same interval; `checks`: how many there are, at the last count. */
export type ProbeEntry = EntryBase & {
  kind: 'probe';
  tenant_id: string;
  cell: string;
  interval_seconds: number;
  rhythm: IntervalSchedule;
  from: number;
  checks: number;
};

/** A cell whose hours are rolled up. */
type RollupEntry = EntryBase & {
  kind: 'rollup';
  tenant_id: string;
  cell: string;
  rhythm: IntervalSchedule;
  from: number;
};

type ActionEntry = EntryBase & Owner & { kind: 'action'; rhythm: IntervalSchedule; from: number };

/** What has a deadline instead of a rhythm. */
type DeadlineKind = Exclude<EntryKind, 'probe' | 'rollup' | 'action'>;

/** A deadline (epoch ms). `note`: why it is one, for its handler; the schedule does not read it. */
export type Deadline<Note extends object = object> = { deadline: number; note?: Note };

/** A deadline as it is stored. */
export type DeadlineEntry<Note extends object = object> = EntryBase & Owner & { kind: DeadlineKind } & Deadline<Note>;

/** Whose entry it is: `id` is the check or action; an action, which has no entity, puts its own id there. */
export type Owner = { tenant_id: string; entity_id: string; id: string };

const entry = <Kind extends EntryKind>(keys: Keys, kind: Kind, { tenant_id, entity_id, id }: Owner, v: string) => ({
  ...keys.entry(kind, tenant_id, id),
  v,
  kind,
  tenant_id,
  entity_id,
  id,
});

/** A cell's entry of one interval. */
export type CellRhythm = Pick<ProbeEntry, 'tenant_id' | 'cell' | 'interval_seconds'>;

/** The entry as it is written: `from` (epoch ms) is until when its writer sends the jobs. */
export const probeEntry = (
  keys: Keys,
  { tenant_id, cell, interval_seconds }: CellRhythm,
  v: string,
  { from, checks }: Pick<ProbeEntry, 'from' | 'checks'>,
): ProbeEntry => ({
  ...keys.entry('probe', tenant_id, probeEntryId(cell, interval_seconds)),
  v,
  kind: 'probe',
  tenant_id,
  cell,
  interval_seconds,
  rhythm: intervalScheduleOf(cell, interval_seconds),
  from,
  checks,
});

export const rollupEntry = (
  keys: Keys,
  { tenant_id, cell }: Pick<ProbeEntry, 'tenant_id' | 'cell'>,
  v: string,
  from: number,
): RollupEntry => ({
  ...keys.entry('rollup', tenant_id, cell),
  v,
  kind: 'rollup',
  tenant_id,
  cell,
  rhythm: rollupRhythm(cell),
  from,
});

/** Names the entry of a cell and an interval. */
export const probeEntryId = (cell: string, intervalSeconds: number): string => `${cell}#${intervalSeconds}`;

export const actionEntry = (
  keys: Keys,
  owner: Owner,
  v: string,
  rhythm: IntervalSchedule,
  from: number,
): EntryItem => ({
  ...entry(keys, 'action', owner, v),
  rhythm,
  from,
});

export const deadlineEntry = (
  keys: Keys,
  kind: DeadlineKind,
  owner: Owner,
  v: string,
  deadline: number,
  note?: object,
): EntryItem => ({
  ...entry(keys, kind, owner, v),
  deadline,
  ...(note && { note }),
});

/** The message of a deadline of a check that is due at `at` (epoch ms). */
export const dueDeadline = (
  kind: DueDeadline['kind'],
  { tenant_id, entity_id, id: check_id }: Owner,
  at: number,
): DueDeadline => ({ kind, tenant_id, entity_id, check_id, at });

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
