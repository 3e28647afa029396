import type { AlertItem } from '#lib/alerting/decide/alert-item.ts';
import { type IncidentItem, incidentOf, withTold } from '#lib/alerting/decide/notified-failure.ts';
import { destinationTold } from '#lib/alerting/decide/recipients.ts';
import type { EntityItem } from '#lib/catalog/entity-item.ts';
import type { CheckState, EntityState } from '#lib/catalog/states.ts';
import type { Keys } from '#lib/keys.ts';

type Changed = {
  /** Of the check. */
  to: CheckState;
  /** Of its entity, afterwards. */
  state: EntityState;
  /** Epoch ms: from when on the state of the check counts. */
  since: number;
  now: number;
  /** Of the incident that it is part of, or opens. */
  id: string;
};

/**
 * Pure: what a change of a check makes of its entity's incident: it opens, goes on, or is over. Undefined where nobody
 * depends on the entity, or there is nothing to say.
 */
export function incidentOfChange(
  keys: Keys,
  { entity, incident: before }: { entity: EntityItem; incident?: IncidentItem | undefined },
  { to, state, since, now, id }: Changed,
): IncidentItem | undefined {
  if (to === 'down' && entity.dependents > 0) {
    const of = { tenant_id: entity.tenant_id, root_entity_id: entity.id, id };
    const incident = incidentOf(keys, before, of, since);
    return state === 'down' && incident.confirmed_at === undefined ? { ...incident, confirmed_at: now } : incident;
  }
  if (!before || before.recovered_at !== undefined || to === 'down' || state === 'down') return before;
  return { ...before, recovered_at: now };
}

export const endsIncident = (before: IncidentItem | undefined, next: IncidentItem | undefined): boolean =>
  next !== undefined && next !== before && next.recovered_at !== undefined;

/** The incident with those told of it by an alert for down, whichever brought that. */
export function toldBy(
  item: AlertItem | undefined,
  incident: IncidentItem | undefined,
  { to, at }: { to: CheckState; at: number },
): IncidentItem | undefined {
  // Those who hear more of the impact were told before, and stay so where that news does not reach them.
  if (!incident || !item || item.kind === 'closed' || item.kind === 'impact' || to !== 'down') return incident;
  return withTold(incident, item.to.map(destinationTold), at);
}
