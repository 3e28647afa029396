import type { Alert } from '#lib/channels/alert.ts';

/**
 * What a receiver keeps together: an incident, where that may concern other entities too, or what one check has to say;
 * of a test, itself. At most 64 characters of an id.
 */
export function caseOf({ kind, incident_id, with_others, event, delivery_id }: Alert): string {
  if (kind === 'test') return delivery_id;
  return with_others && incident_id !== null ? incident_id : event.check_id;
}

/**
 * What an alert does to its case where cases are opened and closed. What recovers while its root still fails does not
 * end it.
 */
export function stepOf({ announces, kind, root }: Alert): 'open' | 'acknowledge' | 'close' {
  if (kind === 'acknowledged') return 'acknowledge';
  return kind === 'closed' || (announces === 'up' && root === null) ? 'close' : 'open';
}
