import type { FlapNote } from '#lib/alerting/decide/memory.ts';
import type { DecidedOn } from '#lib/alerting/decide/situation.ts';
import type { IncidentRef } from '#lib/catalog/entity-item.ts';
import type { TransitionRecord } from '#lib/health/state/transition-record.ts';
import type { Item } from '#lib/platform/ports.ts';

/**
 * One change of a check's state; the source of actions and events. Immutable, but that a held alert is decided once
 * (health/alerting/held.ts). Its timestamp is later than every earlier one of the entity. About 1.2 KB.
 */
export type TransitionItem = Item &
  Omit<TransitionRecord, 'id'> & {
    // not on the wire
    v: string;
    /** What its alert was decided on. */
    decided_on: DecidedOn;
    /** Its alert is the first to say that the check flaps. */
    flapping?: FlapNote;
    /** Name of the check, or its target, for people. */
    check_label: string;
    /** ISO 8601: since when the check was in `check_from_state`. */
    check_from_since: string;
    /** Epoch ms: from when on the new state counts in the history. */
    effective_at: number;
    /** The incident that its entity was part of then; absent without one, and where that was not known yet. */
    incident?: IncidentRef;
    /** How many checks of the entity were down then; absent for none. */
    down_checks?: number;
    /** With it the failure of its entity is over, which others may follow from. */
    ends_incident?: true;
    /** Its number within the entity. */
    seq: number;
  };

/** Points from the tenant's feed to a transition. About 250 bytes. */
export type FeedItem = Item & { entity_id: string; check_id: string; transition_sk: string };
