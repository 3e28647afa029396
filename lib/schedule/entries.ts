import type { EntryKind, Keys } from '#lib/keys.ts';
import type { Item } from '#lib/platform/ports.ts';
import type { Rhythm } from './slots.ts';

/**
 * What the generator reads, under `keys.entries(shard)`, about 250 bytes each:
 * - a rhythm: a job (or a run of an action) at each slot after `from`; the writer of the entry has sent those up to
 *   `from`;
 * - or a deadline (epoch ms): a message when it is due, and at each tick after that until its handler removes or moves
 *   it. It may be too early (its handler then moves it), never too late.
 * Written with the check or action; removed with it or by the reclaimer.
 */
export type EntryItem = Item & { v: string } & Owner &
  (
    | { kind: RhythmKind; rhythm: Rhythm; from: number; deadline?: never }
    | ({ kind: DeadlineKind; rhythm?: never } & Deadline)
  );

type RhythmKind = 'probe' | 'action';
/** What has a deadline instead of a rhythm. */
export type DeadlineKind = Exclude<EntryKind, RhythmKind>;

/** A deadline (epoch ms), and what its handler left for its next call: the entry is also the handler's outbox. */
export type Deadline = { deadline: number; note?: DeadlineNote };

/** Epoch ms at which all deliveries of an alert had failed, and how many tries to make it good were made since. */
export type Series = { failed_at: number; tries: number };

/** Catch-up: a try of a series is due, if it has one. */
export type DeadlineNote = Partial<Series> & {
  /** Deliveries that were created and have yet to be handed over; after that `next`, or the end of the entry. */
  send?: string[];
  next?: Deadline;
  /** Catch-up: channels may believe something else than what was announced last. */
  misled?: true;
  /** Catch-up: the check was disabled or deleted; if its channels may believe it down, a closing note is due. */
  closing?: true;
};

/**
 * Whose entry it is: `id` is the check or action. `entity_id` only says which shard; an action, which has no entity,
 * puts its own id there.
 */
export type Owner = { tenant_id: string; entity_id: string; id: string };

const entry = <Kind extends EntryKind>(keys: Keys, kind: Kind, { tenant_id, entity_id, id }: Owner, v: string) => ({
  ...keys.entry(kind, tenant_id, entity_id, id),
  v,
  kind,
  tenant_id,
  entity_id,
  id,
});

export const rhythmEntry = (
  keys: Keys,
  kind: RhythmKind,
  owner: Owner,
  v: string,
  rhythm: Rhythm,
  from: number,
): EntryItem => ({ ...entry(keys, kind, owner, v), rhythm, from });

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
