import type { CheckState, EntityState } from '#lib/catalog/entity-item.ts';
import type { Item } from '#lib/platform/ports.ts';

export type TransitionCause = 'result' | 'silence' | 'check_disabled' | 'check_enabled' | 'check_deleted';

/** Why no alert was planned: the first that holds (docs/CONTRACT.md#alerts). */
export type SkipReason = 'configuration' | 'silenced' | 'initial' | 'recovery_off' | 'cooldown' | 'no_channels';

/** Taken with the transition and stored in it. `deliveries` are ids, one for each channel of `channel_ids`. */
type AlertDecision = {
  decision: 'planned' | 'skipped';
  reason: SkipReason | null;
  deliveries: string[];
};

/** The last word to channels that believe the check down; `deliveries[i]` goes to `channel_ids[i]`. */
export type ClosingNote = { deliveries: string[]; channel_ids: string[] };

/** One change of a check's state. Immutable; the only source of alerts and actions. About 700 bytes. */
export type TransitionItem = Item & {
  transition_id: string;
  entity_id: string;
  entity_name: string;
  check_id: string;
  tenant_id: string;
  /** State of the entity before and after; equal where the aggregate did not move. */
  from_state: EntityState;
  to_state: EntityState;
  check_from_state: CheckState;
  check_to_state: CheckState;
  /** ISO 8601; later than every earlier one of the entity. */
  timestamp: string;
  cause: TransitionCause;
  error_message: string;
  alert: AlertDecision;

  // not on the wire
  /** Channels of the policy at that moment; `alert.deliveries[i]` goes to `channel_ids[i]`. */
  channel_ids: string[];
  /** Name of the check, or its target, for people. */
  check_label: string;
  /** ISO 8601: since when the check was in `check_from_state`. */
  check_from_since: string;
  /** Its number within the entity. */
  seq: number;
  closing?: ClosingNote;
};

/** Points from the tenant's feed to a transition. About 250 bytes. */
export type FeedItem = Item & { entity_id: string; check_id: string; transition_sk: string };
