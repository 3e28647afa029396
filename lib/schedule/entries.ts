import type { EntryKind, Keys } from '#lib/keys.ts';
import type { DueDeadline } from '#lib/messages.ts';
import type { Item, Write } from '#lib/platform/ports.ts';
import { type IntervalSchedule, intervalScheduleOf, rollupScheduleOf } from './slots.ts';

/**
 * Entries of the generator, under `keys.entries(shard)`, about 250 bytes each, written and deleted with their owner:
 * - interval schedule: a job, rollup or execution at each slot after `from`; its writer sent those up to `from`;
 * - deadline (epoch ms): a message when due, repeated at each tick until its handler removes or moves it. The stored
 * time is never after the true one, but may be before it; the handler then moves it.
 */
export type EntryItem = ProbeEntry | RollupEntry | ActionEntry | DeadlineEntry;

type EntryBase = Item & { v: string };

/** Checks of a cell with the same interval; `checks`: their number at the last count. */
export type ProbeEntry = EntryBase & {
  kind: 'probe';
  tenant_id: string;
  cell: string;
  interval_seconds: number;
  rhythm: IntervalSchedule;
  from: number;
  checks: number;
};

type RollupEntry = EntryBase & {
  kind: 'rollup';
  tenant_id: string;
  cell: string;
  rhythm: IntervalSchedule;
  from: number;
};

type ActionEntry = EntryBase & Owner & { kind: 'action'; rhythm: IntervalSchedule; from: number };

type DeadlineKind = Exclude<EntryKind, 'probe' | 'rollup' | 'action'>;

/** Deadline (epoch ms). `note`: its reason, for its handler; not read by the schedule. */
export type Deadline<Note extends object = object> = { deadline: number; note?: Note };

export type DeadlineEntry<Note extends object = object> = EntryBase & Owner & { kind: DeadlineKind } & Deadline<Note>;

/** Owner of an entry, such as a check or an action. `entity_id`: for an owner without an entity, its own id. */
export type Owner = { tenant_id: string; entity_id: string; id: string };

const entry = <Kind extends EntryKind>(keys: Keys, kind: Kind, { tenant_id, entity_id, id }: Owner, v: string) => ({
  ...keys.entry(kind, tenant_id, id),
  v,
  kind,
  tenant_id,
  entity_id,
  id,
});

export type CellInterval = Pick<ProbeEntry, 'tenant_id' | 'cell' | 'interval_seconds'>;

/** Returns the entry of a cell and an interval. `from` (epoch ms): time until which its writer sends the jobs. */
export const probeEntry = (
  keys: Keys,
  { tenant_id, cell, interval_seconds }: CellInterval,
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
  rhythm: rollupScheduleOf(cell),
  from,
});

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

/** Returns the time of the first monthly report after a time: 08:00 UTC of the first day of a month (epoch ms). */
export function nextReportAt(after: number): number {
  const date = new Date(after);
  const ofMonth = (months: number) => Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + months, 1, 8);
  return ofMonth(0) > after ? ofMonth(0) : ofMonth(1);
}

/** Returns the message of a deadline of a check, due at `at` (epoch ms). */
export const dueDeadline = (
  kind: DueDeadline['kind'],
  { tenant_id, entity_id, id: check_id }: Owner,
  at: number,
): DueDeadline => ({ kind, tenant_id, entity_id, check_id, at });

/** Returns the version-conditional writes that replace `present` by `next`, create `next`, or delete `present`. */
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
