import type { IncidentDetail, IncidentRecord, PublicUpdate, State, TimelineEntry } from '#console/api/records.ts';

export const incidentHref = (id: string): string => `#/incidents/${encodeURIComponent(id)}`;

export const incidentPath = (id: string): string => `/v1/incidents/${encodeURIComponent(id)}`;

export const entityIncidentsHref = (id: string): string => `#/incidents?entity=${encodeURIComponent(id)}`;

const WORD: Readonly<Record<IncidentRecord['state'], string>> = {
  open: 'Open',
  acknowledged: 'Acknowledged',
  resolved: 'Resolved',
};

/** Returns the state of an incident in a word. @param resolves_at set once its entities have recovered */
export const incidentWord = ({
  state,
  resolves_at,
}: Pick<IncidentRecord, 'state'> & { resolves_at?: string | null | undefined }): string =>
  resolves_at ? 'Recovered' : WORD[state];

const STATE_OF_IMPACT: Readonly<Record<IncidentRecord['impact'], State>> = {
  outage: 'down',
  degraded: 'degraded',
  none: 'unknown',
};

export const markOf = ({ state, impact }: Pick<IncidentRecord, 'state' | 'impact'>): State =>
  state === 'resolved' ? 'up' : STATE_OF_IMPACT[impact];

const RANK: readonly IncidentRecord['state'][] = ['open', 'acknowledged', 'resolved'];

/** Sorts by state: open, acknowledged, resolved; then newest first. */
export const compareIncidents = (a: IncidentRecord, b: IncidentRecord): number =>
  RANK.indexOf(a.state) - RANK.indexOf(b.state) || (a.started_at < b.started_at ? 1 : -1);

/** Returns the duration of an incident in ms. @param now epoch ms */
export const lastedMs = ({ started_at, resolved_at }: IncidentRecord, now: number): number =>
  (resolved_at === null ? now : Date.parse(resolved_at)) - Date.parse(started_at);

/** Returns why the incident cannot be resolved manually; undefined if it can. */
export function whyNotResolvable({ state, origin, entities }: IncidentDetail): string | undefined {
  if (state === 'resolved') return 'The incident is resolved.';
  const isDown = origin === 'automatic' && entities.some((entity) => entity.state === 'down');
  return isDown ? 'An entity is still down: acknowledge the incident instead. It resolves automatically.' : undefined;
}

/** Returns why the incident cannot be acknowledged; undefined if it can. */
export function whyNotAcknowledgeable({ state, acknowledged_by }: IncidentRecord): string | undefined {
  if (state === 'resolved') return 'The incident is resolved.';
  return state === 'acknowledged' ? `Acknowledged by ${acknowledged_by}.` : undefined;
}

export const ALERTED: Readonly<Record<NonNullable<IncidentDetail['affected']['items'][number]['alert']>, string>> = {
  planned: 'alerted',
  held: 'alert held',
  skipped: 'not alerted',
};

export const ENTRY_KIND: Readonly<Record<TimelineEntry['kind'], string>> = {
  opened: 'Opened',
  joined: 'Failure joined',
  transition: 'State changed',
  alert: 'Alert',
  escalated: 'Escalation',
  acknowledged: 'Acknowledged',
  note: 'Note',
  update: 'Public update',
  resolved: 'Resolved',
};

/** Statuses of a public update, in their usual order during an incident. */
export const UPDATE_STATUS: Readonly<Record<PublicUpdate['status'], string>> = {
  investigating: 'Investigating',
  identified: 'Identified',
  monitoring: 'Monitoring',
  resolved: 'Resolved',
};

/** Returns the statuses that the next update can have: a resolved automatic incident stays resolved. */
export const nextUpdateStatuses = ({ state, origin }: Pick<IncidentRecord, 'state' | 'origin'>): string[] =>
  state === 'resolved' && origin === 'automatic' ? ['resolved'] : Object.keys(UPDATE_STATUS);
