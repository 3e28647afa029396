import type { IncidentDetail, IncidentRecord, State, TimelineEntry } from '#console/api/records.ts';

/** The page of an incident. */
export const incidentHref = (id: string): string => `#/incidents/${encodeURIComponent(id)}`;

/** Those that an entity was part of. */
export const incidentsOfEntity = (id: string): string => `#/incidents?entity=${encodeURIComponent(id)}`;

export const INCIDENT_WORD: Readonly<Record<IncidentRecord['state'], string>> = {
  open: 'Open',
  acknowledged: 'Acknowledged',
  resolved: 'Over',
};

const LOOK_OF_IMPACT: Readonly<Record<IncidentRecord['impact'], State>> = {
  outage: 'down',
  degraded: 'degraded',
  none: 'unknown',
};

/** How an incident looks: as bad as it is, until it is over. */
export const lookOf = ({ state, impact }: Pick<IncidentRecord, 'state' | 'impact'>): State =>
  state === 'resolved' ? 'up' : LOOK_OF_IMPACT[impact];

const RANK: readonly IncidentRecord['state'][] = ['open', 'acknowledged', 'resolved'];

/** Those first that nobody looks after, those that are over last; then the newest first. */
export const compareIncidents = (a: IncidentRecord, b: IncidentRecord): number =>
  RANK.indexOf(a.state) - RANK.indexOf(b.state) || (a.started_at < b.started_at ? 1 : -1);

/** How long it lasts, or did, in ms. @param now epoch ms */
export const lastedMs = ({ started_at, resolved_at }: IncidentRecord, now: number): number =>
  (resolved_at === null ? now : Date.parse(resolved_at)) - Date.parse(started_at);

/** Why it cannot be ended by hand now; undefined: it can. */
export function whyNotResolved({ state, origin, entities }: IncidentDetail): string | undefined {
  if (state === 'resolved') return 'It is over.';
  const isDown = origin === 'automatic' && entities.some((entity) => entity.state === 'down');
  return isDown ? 'Something of it is down: acknowledge it. It ends by itself.' : undefined;
}

/** Why nobody can say that they look after it; undefined: they can. */
export function whyNotAcknowledged({ state, acknowledged_by }: IncidentRecord): string | undefined {
  if (state === 'resolved') return 'It is over.';
  return state === 'acknowledged' ? `${acknowledged_by} looks after it.` : undefined;
}

/** What became of the alert of something that fails with the root. */
export const ALERTED: Readonly<Record<NonNullable<IncidentDetail['affected']['items'][number]['alert']>, string>> = {
  planned: 'told',
  held: 'alert held',
  skipped: 'not told',
};

export const HAPPENED: Readonly<Record<TimelineEntry['kind'], string>> = {
  opened: 'It began',
  joined: 'Joined',
  transition: 'Changed',
  alert: 'Alert',
  escalated: 'Escalation',
  acknowledged: 'Acknowledged',
  note: 'Note',
  resolved: 'Over',
};
