import * as z from 'zod';
import type { DecidedOn } from '#lib/alerting/decide/situation.ts';
import type { TransitionRecord } from '#lib/alerting/decide/transition.ts';
import type { IncidentRef } from '#lib/catalog/entity.ts';
import type { FlapNote } from '#lib/channels/alert.ts';
import type { Env } from '#lib/env.ts';
import { TRANSITIONS, under } from '#lib/keys.ts';
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

/** The latest change of a check's state; undefined before the first, and once it is no longer kept. */
export async function lastTransition(
  { ports, keys }: Env<'table'>,
  tenant_id: string,
  check_id: string,
): Promise<TransitionItem | undefined> {
  const { items } = await ports.table.query<TransitionItem>({
    partition: keys.ofCheck(tenant_id, check_id),
    ...under(TRANSITIONS),
    descending: true,
    limit: 1,
  });
  return items[0];
}

export const TransitionCause = z
  .enum(['result', 'silence', 'check_disabled', 'check_enabled', 'check_deleted'])
  .describe(
    'result: a probe or a push. silence: a push check was silent past its grace. check_disabled, check_deleted: a user changed the check; recorded, and never announced. check_enabled: reserved.',
  );
export type TransitionCause = z.infer<typeof TransitionCause>;
