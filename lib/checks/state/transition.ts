import * as z from 'zod';
import { CheckState, EntityState } from '#lib/catalog/states.ts';
import { IdOf } from '#lib/platform/http/route.ts';
import type { Item } from '#lib/platform/ports.ts';

export const TransitionCause = z
  .enum(['result', 'missed_heartbeat', 'check_disabled', 'check_enabled', 'check_deleted'])
  .describe(
    'result: probe or push. missed_heartbeat: no heartbeat in time. check_disabled, check_deleted: change by a user; sends at most a closing alert. check_enabled: reserved.',
  );
export type TransitionCause = z.infer<typeof TransitionCause>;

/** Properties of a transition in the API without its alert, which alerting adds. */
export const StateTransition = z.object({
  id: z.string().describe('Same as transition_id.'),
  transition_id: IdOf('the transition'),
  entity_id: IdOf('the entity'),
  entity_name: z.string().describe('Name of the entity at the time of the transition.'),
  blueprint_slug: z.string().describe('Slug of its blueprint.'),
  entity_slug: z.string().describe('Slug of the entity.'),
  check_id: IdOf('the check that changed'),
  tenant_id: IdOf('the account'),
  from_state: EntityState.describe('State of the entity before; equals to_state if unchanged.'),
  to_state: EntityState.describe('State of the entity after.'),
  check_from_state: CheckState.describe('State of the check before the transition.'),
  check_to_state: CheckState.describe('State of the check after.'),
  timestamp: z.iso.datetime().describe('Time of the transition, in UTC.'),
  outage_started_at: z.iso
    .datetime()
    .nullable()
    .describe('Change to down: time of the first failed result. Null for other changes.'),
  cause: TransitionCause,
  error_message: z.string().describe('Error or warning of the deciding result; empty without one.'),
});

/** A state change of a check. Its timestamp is always after that of the previous transition of the entity. */
export type TransitionItem = Item &
  Omit<z.infer<typeof StateTransition>, 'id'> & {
    // Not in the API:
    v: string;
    check_label: string;
    /** ISO 8601: start of `check_from_state`; for down, time of the first failed result. */
    check_from_since: string;
    /** Epoch ms from which the new state counts in the history. */
    effective_at: number;
    /** Number of checks of the entity that are down after the transition; absent if 0. */
    down_checks?: number;
    /** Number of the transition within its entity. */
    seq: number;
  };

/** Pointer from the tenant's feed to a transition. About 250 bytes. */
export type FeedItem = Item & { entity_id: string; check_id: string; transition_sk: string };
