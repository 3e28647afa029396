import type { AlertItem } from '#lib/alerting/decide/alert-item.ts';
import { incidentIdFor } from '#lib/alerting/decide/notified-failure.ts';
import type { DecidedTransition } from '#lib/alerting/decide/transition.ts';
import type { IncidentRef } from '#lib/catalog/entity.ts';
import type { Keys } from '#lib/keys.ts';
import { timeOf } from '#lib/platform/ids.ts';
import { iso } from '#lib/platform/time.ts';
import { expiryOf, type IncidentEntity, type IncidentItem, type TimelineItem } from './incident.ts';

// Pure functions. Transitions can arrive late and repeatedly; the final state is the same.

/** Adds a transition to an entity of an incident; returns the same object if the transition contains nothing new. */
export function entityWith(
  keys: Keys,
  { id }: IncidentRef,
  before: IncidentEntity | undefined,
  transition: DecidedTransition,
): IncidentEntity {
  const { tenant_id, entity_id, entity_name, seq, timestamp, down_checks = 0 } = transition;
  const isNewest = !before || seq > before.seq;
  const failure = failureOf(transition);
  const isLastFailure = failure && (before?.failure?.seq ?? 0) < seq;
  if (before && !isNewest && !isLastFailure) return before;
  return {
    ...keys.incidentEntity(tenant_id, id, entity_id),
    v: '',
    entity_id,
    ...(isNewest ? { entity_name, seq, at: Date.parse(timestamp), down_checks } : before),
    ...(isLastFailure ? { failure } : before?.failure && { failure: before.failure }),
  };
}

const failureOf = ({ check_to_state, seq, check_id, transition_id, sk, timestamp }: DecidedTransition) =>
  check_to_state === 'down' ? { seq, check_id, transition_id, transition_sk: sk, since: timestamp } : undefined;

/** Returns a new automatic incident. */
export function newIncident(
  keys: Keys,
  { id, root_entity_id }: IncidentRef,
  tenant_id: string,
  root_name: string,
): IncidentItem {
  const at = iso(timeOf(id));
  return {
    ...keys.incident(tenant_id, id),
    ...{ v: '', tenant_id, id, origin: 'automatic', title: `${root_name} is down`, impact: 'degraded' },
    ...{ root_entity_id, root_entity_name: root_name, started_at: at, hidden: false, created_at: at, updated_at: at },
  };
}

/** Adds a transition, and reopens the incident if a check of the entity is down. @param entity after the transition */
export function incidentWith(
  incident: IncidentItem,
  transition: DecidedTransition,
  entity: IncidentEntity,
): IncidentItem {
  const { outage_started_at, to_state } = transition;
  let next = incident;
  if (outage_started_at !== null && outage_started_at < next.started_at)
    next = { ...next, started_at: outage_started_at };
  if (to_state === 'down' && !next.impact_is_set && next.impact !== 'outage') next = { ...next, impact: 'outage' };
  if (next.resolved_at === undefined || entity.down_checks === 0) return next;
  const { resolved_at: _at, resolved_by: _by, ...rest } = next;
  return rest;
}

/** Returns the timeline entry of a transition; kind `joined` if its alert decision did not know the incident yet. */
export function entryOfTransition(keys: Keys, ref: IncidentRef, transition: DecidedTransition): TimelineItem {
  const { tenant_id, transition_id, timestamp, entity_id, entity_name, check_id, check_label } = transition;
  const { check_from_state, check_to_state, to_state, error_message } = transition;
  const at = Date.parse(timestamp);
  return {
    ...keys.incidentEntry(tenant_id, ref.id, at, transition_id),
    ...{ v: transition_id, expires_at: expiryOf(at), id: transition_id, at: timestamp, kind: kindOf(ref, transition) },
    transition: {
      ...{ transition_id, entity_id, entity_name, check_id, check_label },
      ...{ check_from_state, check_to_state, to_state, error_message },
    },
  };
}

function kindOf({ id }: IncidentRef, { transition_id, incident }: DecidedTransition): TimelineItem['kind'] {
  if (incidentIdFor(transition_id) === id) return 'opened';
  return incident ? 'transition' : 'joined';
}

export function entryOfAlert(keys: Keys, incident_id: string, alert: AlertItem): TimelineItem {
  const { tenant_id, id, kind: alert_kind, urgency, check_id, entity_id, reports_state, root, to } = alert;
  const at = timeOf(id);
  return {
    ...keys.incidentEntry(tenant_id, incident_id, at, id),
    ...{ v: id, expires_at: expiryOf(at), id, at: iso(at) },
    kind: alert_kind === 'escalation' ? 'escalated' : 'alert',
    alert: {
      ...{ alert_id: id, alert_kind, urgency, check_id, entity_id, reports_state },
      root_entity_id: root?.entity_id ?? null,
      to: to.map(({ channel_id, channel_type, delivery_id }) => ({ channel_id, channel_type, delivery_id })),
    },
  };
}
