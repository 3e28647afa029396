import type { EntryKind, Keys } from '#lib/keys.ts';
import type { Item } from '#lib/platform/ports.ts';
import { type Rhythm, rhythmOf, rollupRhythm } from './slots.ts';

/**
 * What the generator reads, under `keys.entries(shard)`, about 250 bytes each:
 * - a rhythm: a job of a cell (or a run of an action) at each slot after `from`; the writer of the entry has sent those
 *   up to `from`;
 * - or a deadline (epoch ms): a message when it is due, and at each tick after that until its handler removes or moves
 *   it. It may be too early (its handler then moves it), never too late.
 * Written with the check or action; removed with it or by the reclaimer.
 */
export type EntryItem =
  | ProbeEntry
  | RollupEntry
  | ActionEntry
  | (EntryBase & Owner & { kind: DeadlineKind } & Deadline);

type EntryBase = Item & { v: string };

/** The checks of a cell that have the same interval; `checks`: how many there are, at the last count. */
export type ProbeEntry = EntryBase & {
  kind: 'probe';
  tenant_id: string;
  cell: string;
  interval_seconds: number;
  rhythm: Rhythm;
  from: number;
  checks: number;
};

/** A cell whose hours are rolled up. */
type RollupEntry = EntryBase & { kind: 'rollup'; tenant_id: string; cell: string; rhythm: Rhythm; from: number };

type ActionEntry = EntryBase & Owner & { kind: 'action'; rhythm: Rhythm; from: number };

/** What has a deadline instead of a rhythm. */
export type DeadlineKind = Exclude<EntryKind, 'probe' | 'rollup' | 'action'>;

/** A deadline (epoch ms), and why it is one. */
export type Deadline = { deadline: number; note?: DeadlineNote };

/** Epoch ms at which all deliveries of an alert had failed, and how many tries to make it good were made since. */
export type Series = { failed_at: number; tries: number };

/** Catch-up: a try of a series is due, if it has one. */
export type DeadlineNote = Partial<Series> & {
  /** Catch-up: channels may believe something else than what was announced last. */
  misled?: true;
  /** Catch-up: the check was disabled or deleted; if its channels may believe it down, a closing note is due. */
  closing?: true;
  /** Escalation: nobody who was called could be told, so that its step does not wait for its time. */
  at_once?: true;
  /** Hold: the alert that is held. */
  held?: HeldAlert;
};

/** What may hold an alert back, to be decided later; each is a reason of alerting too. */
export type HoldReason = 'maintenance' | 'dependency' | 'remediation';

/**
 * An alert that is held: that of a check's last transition, of which a check has one at most. Whatever holds it looks
 * at the deadline `hold`, and in the end it is released or skipped (lib/alerts/hold).
 */
export type HeldAlert = {
  /** Sort key of its transition, under the check. */
  transition_sk: string;
  reason: HoldReason;
  /**
   * Epoch ms: the check's own first result at or after it decides, once nothing holds it any more; of a repair, until
   * when that is waited for.
   */
  from: number;
  /** What was to repair it first has had its time. */
  repaired?: true;
  /** The maintenance window that holds it, or held it last, and until when (epoch ms). */
  window?: { id: string; until: number; include_dependents?: true };
  /** It is not the alert of the transition, but one that a cooldown had put off. */
  kind?: 'catch_up';
  /** The entity whose failure explains it, under which it is held. */
  root?: string;
  /** Where it was told all the same: destinations. */
  told?: string[];
  /** All of them had been told of trouble before, and believe that it lasts. */
  knew?: true;
};

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
  rhythm: rhythmOf(cell, interval_seconds),
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

export const actionEntry = (keys: Keys, owner: Owner, v: string, rhythm: Rhythm, from: number): EntryItem => ({
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
  note?: DeadlineNote,
): EntryItem => ({
  ...entry(keys, kind, owner, v),
  deadline,
  ...(note && { note }),
});
