import type { CheckItem } from '#lib/checks/check-item.ts';
import type { Keys } from '#lib/keys.ts';
import type { Item, Write } from '#lib/platform/ports.ts';
import type { Deadline } from '#lib/schedule/entries.ts';
import { type Hold, NEW_HOLD } from './look.ts';

/** What a look at a held alert went by, for whoever asks later. */
type LookNote = {
  /** Epoch ms. */
  at: number;
  roots: string[];
  truncated: boolean;
};

/**
 * What is remembered of an alert that waits until it is known whether it follows from another failure, beside its
 * deadline `hold`. It lies under its check. About 300 bytes, and 30 for each entity on the way to the root.
 */
export type HoldItem = Item &
  Hold & {
    v: string;
    /** Which alert it is about. */
    transition_sk: string;
    /** The latest, oldest first. */
    looks: LookNote[];
  };

/** Most looks that are kept. */
export const MOST_LOOKS = 10;

/** What is remembered so far: nothing before the first look. */
export const rememberedHold = (stored: HoldItem | undefined, transition_sk: string): Hold & Pick<HoldItem, 'looks'> =>
  stored?.transition_sk === transition_sk ? stored : { ...NEW_HOLD, looks: [] };

type Of = Pick<CheckItem, 'tenant_id' | 'id'>;

/** The writes that leave nothing of a hold behind but its deadline. */
export function forgetHold(keys: Keys, { tenant_id, id }: Of, hold: Deadline | undefined): Write[] {
  const held = hold?.note?.held;
  if (held?.reason !== 'dependency') return [];
  return [
    { delete: keys.hold(tenant_id, id) },
    ...(held.root === undefined ? [] : [{ delete: keys.heldCheck(tenant_id, held.root, id) }]),
  ];
}
