import type { AnnouncedAlert } from '#lib/checks/check-item.ts';
import type { Item } from '#lib/platform/ports.ts';
import type { FlapNote } from './flapping.ts';
import type { TransitionRecord } from './transition-record.ts';

/** The last alert to channels that believe the check down; `deliveries[i]` goes to `channel_ids[i]`. */
export type ClosingNote = { deliveries: string[]; channel_ids: string[] };

/**
 * One change of a check's state. Immutable; the only source of alerts and actions. Its timestamp is later than every
 * earlier one of the entity. About 700 bytes.
 */
export type TransitionItem = Item &
  Omit<TransitionRecord, 'id'> & {
    // not on the wire
    /** Channels of the policy at that moment; `alert.deliveries[i]` goes to `channel_ids[i]`. */
    channel_ids: string[];
    /** What its alert says of the check, by the policy at that moment. */
    announces: AnnouncedAlert['announces'];
    /** Its alert is the first to say that the check flaps. */
    flapping?: FlapNote;
    /** Name of the check, or its target, for people. */
    check_label: string;
    /** ISO 8601: since when the check was in `check_from_state`. */
    check_from_since: string;
    /** Epoch ms: from when on the new state counts in the history. */
    effective_at: number;
    /** Its number within the entity. */
    seq: number;
    closing?: ClosingNote;
  };

/** Points from the tenant's feed to a transition. About 250 bytes. */
export type FeedItem = Item & { entity_id: string; check_id: string; transition_sk: string };
