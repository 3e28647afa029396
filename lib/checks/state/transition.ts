import * as z from 'zod';
import { CheckState, EntityState } from '#lib/catalog/states.ts';
import { IdOf } from '#lib/platform/http/route.ts';
import type { Item } from '#lib/platform/ports.ts';

export const TransitionCause = z
  .enum(['result', 'missed_heartbeat', 'check_disabled', 'check_enabled', 'check_deleted'])
  .describe(
    'result: a probe or a push. silence: a push check was silent past its grace. check_disabled, check_deleted: a user changed the check; recorded, and never announced. check_enabled: reserved.',
  );
export type TransitionCause = z.infer<typeof TransitionCause>;

/** The properties of a transition on the wire without its alert, which alerting adds. */
export const StateTransition = z.object({
  id: z.string().describe('The same as transition_id.'),
  transition_id: IdOf('the transition'),
  entity_id: IdOf('the entity that it is about'),
  entity_name: z.string().describe('Name of the entity at that moment.'),
  blueprint_slug: z.string().describe('Slug of its blueprint.'),
  entity_slug: z.string().describe('Slug of the entity.'),
  check_id: IdOf('the check that changed'),
  tenant_id: IdOf('the account'),
  from_state: EntityState.describe('State of the entity before; equal to to_state where that did not move.'),
  to_state: EntityState.describe('State of the entity after.'),
  check_from_state: CheckState.describe('State of the check before.'),
  check_to_state: CheckState.describe('State of the check after.'),
  timestamp: z.iso.datetime().describe('When it changed, in UTC.'),
  outage_started_at: z.iso
    .datetime()
    .nullable()
    .describe('Of a change to down: when the first of the failed runs was checked. Null of others.'),
  cause: TransitionCause,
  error_message: z.string().describe('Error or warning of the deciding result; empty when none.'),
});

/** One change of a check's state. Its timestamp is later than every earlier one of the entity. */
export type TransitionItem = Item &
  Omit<z.infer<typeof StateTransition>, 'id'> & {
    // not on the wire
    v: string;
    /** Name of the check, or its target, for people. */
    check_label: string;
    /** ISO 8601: since when the check was in `check_from_state`. */
    check_from_since: string;
    /** Epoch ms: from when on the new state counts in the history. */
    effective_at: number;
    /** How many checks of the entity were down then; absent for none. */
    down_checks?: number;
    /** Its number within the entity. */
    seq: number;
  };

/** Points from the tenant's feed to a transition. About 250 bytes. */
export type FeedItem = Item & { entity_id: string; check_id: string; transition_sk: string };
