import type { EntryKind, Keys } from '#lib/keys.ts';
import type { Item } from '#lib/platform/ports.ts';
import type { Rhythm } from './slots.ts';

/**
 * What the generator reads, under `keys.entries(shard)`, about 250 bytes each:
 * - a rhythm: a job at each of its slots after `from`; whoever wrote the entry has sent those up to `from`;
 * - or a deadline (epoch ms): a timer message when it is due and at each tick after that, until its handler removes
 *   or moves it. It may lie too early (its handler then moves it), never too late.
 * Written with the check, removed with it or by the reclaimer.
 */
export type EntryItem = Item & {
  v: string;
  kind: EntryKind;
  tenant_id: string;
  entity_id: string;
  /** The check (or action) it belongs to. */
  id: string;
} & ({ rhythm: Rhythm; from: number; deadline?: never } | { deadline: number; rhythm?: never });

type Owner = { tenant_id: string; entity_id: string; id: string };

const entry = (keys: Keys, kind: EntryKind, { tenant_id, entity_id, id }: Owner, v: string) => ({
  ...keys.entry(kind, tenant_id, entity_id, id),
  v,
  kind,
  tenant_id,
  entity_id,
  id,
});

export const rhythmEntry = (
  keys: Keys,
  kind: EntryKind,
  owner: Owner,
  v: string,
  rhythm: Rhythm,
  from: number,
): EntryItem => ({
  ...entry(keys, kind, owner, v),
  rhythm,
  from,
});

export const deadlineEntry = (keys: Keys, kind: EntryKind, owner: Owner, v: string, deadline: number): EntryItem => ({
  ...entry(keys, kind, owner, v),
  deadline,
});
