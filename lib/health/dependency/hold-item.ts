import type { CheckItem } from '#lib/checks/check-item.ts';
import type { Keys } from '#lib/keys.ts';
import type { Item } from '#lib/platform/ports.ts';
import { type Hold, NEW_HOLD } from './look.ts';

/** What a look at a held alert went by, for whoever asks later. */
export type LookNote = {
  /** Epoch ms. */
  at: number;
  roots: string[];
  truncated: boolean;
};

/**
 * An alert that waits until it is known whether it follows from another failure. It lies under its check, named by the
 * transition; its deadline `hold` says when it is looked at next. Gone once it is decided for every channel.
 */
export type HoldItem = Item &
  Hold & {
    v: string;
    tenant_id: string;
    check_id: string;
    entity_id: string;
    transition_id: string;
    transition_sk: string;
    /** Which alert it is: that of the transition, or one that a cooldown had put off. */
    kind: 'state_change' | 'catch_up';
    /** Epoch ms: since when it is held. */
    held_at: number;
    /** Channels that were told. */
    told: string[];
    /** The latest, oldest first. */
    looks: LookNote[];
  };

/** Most looks that are kept. */
export const MOST_LOOKS = 10;

type NewHold = {
  check: Pick<CheckItem, 'id' | 'tenant_id' | 'entity_id'>;
  transition: { transition_id: string; sk: string; expires_at?: number | undefined };
  kind: HoldItem['kind'];
  at: number;
};

export function holdItem(keys: Keys, token: string, { check, transition, kind, at }: NewHold): HoldItem {
  const { id: check_id, tenant_id, entity_id } = check;
  const { transition_id, sk: transition_sk, expires_at } = transition;
  return {
    ...keys.hold(tenant_id, check_id, transition_sk),
    ...(expires_at !== undefined && { expires_at }),
    ...NEW_HOLD,
    ...{
      v: token,
      tenant_id,
      check_id,
      entity_id,
      transition_id,
      transition_sk,
      kind,
      held_at: at,
      told: [],
      looks: [],
    },
  };
}
