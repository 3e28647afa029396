import type { EntityItem, IncidentRef } from '#lib/catalog/entity.ts';
import type { CheckState, EntityState } from '#lib/catalog/states.ts';
import type { Keys } from '#lib/keys.ts';
import { derivedId, timeOf } from '#lib/platform/ids.ts';
import type { Item, Write } from '#lib/platform/ports.ts';
import { pastOrZero } from '#lib/platform/time.ts';
import { type AlertItem, destinationOfTarget } from './alert-item.ts';

/**
 * Who was told of the failure of an entity that others depend on: by an alert of its own, or by one of a dependent that
 * names it. One an entity; the next failure takes the place of one that is over. What happened in the incident of its
 * id, and what people say of it, is kept apart (lib/incidents), as nothing is decided by that. Times in epoch
 * ms. About 300 bytes, and 40 for each destination, 10 more for each further time.
 */
export type NotifiedFailureItem = Item &
  NotifiedFailure & {
    v: string;
    id: string;
    tenant_id: string;
  };

const DAY_SECONDS = 86_400;
/** Kept for longer than any cooldown, by which a telling counts. */
const KEEP_SECONDS = 8 * DAY_SECONDS;
/** So many alerts to a destination are remembered: seldom are more on their way at a time. */
const MAX_TIMES = 10;

/** Whose failure it is, and the incident that is to be: that of the root, once it has one. */
type Of = { tenant_id: string; root_entity_id: string; id?: string | undefined };

/** The incident of a failure that lasts: the one that there is, or a new one. @param since epoch ms */
export function notifiedFailureOf(
  keys: Keys,
  before: NotifiedFailureItem | undefined,
  { id, ...of }: Of,
  since: number,
): NotifiedFailureItem {
  if (before?.recovered_at === undefined && before) return before;
  return {
    ...keys.notifiedFailure(of.tenant_id, of.root_entity_id),
    ...of,
    v: '',
    id: id ?? derivedId('inc', since, of.tenant_id, of.root_entity_id),
    since,
    told: before?.told ?? {},
  };
}

/**
 * The incident of a failure that follows from no other: the one that the entity is part of, the one that was told of
 * when it was only suspected, or a new one, which the transition opens.
 */
export const ownIncident = (
  { id, incident }: Pick<EntityItem, 'id' | 'incident'>,
  suspected: NotifiedFailureItem | undefined,
  { transition_id }: { transition_id: string },
): IncidentRef => {
  if (incident) return incident;
  const isLive = suspected && suspected.recovered_at === undefined;
  return { id: isLive ? suspected.id : incidentIdFor(transition_id), root_entity_id: id };
};

/** The id of the incident that a transition opens, so that it opens none twice. */
export const incidentIdFor = (transition_id: string): string => derivedId('inc', timeOf(transition_id), transition_id);

/** The write by which an entity becomes part of an incident; none where it is part of one. */
export function joinWrites(entity: EntityItem, incident: IncidentRef | undefined, token: string): Write[] {
  if (!incident || entity.incident) return [];
  const put: EntityItem = { ...entity, v: token, incident };
  return [{ put, if: { version: entity.v } }];
}

/** With some told at `at` (epoch ms). */
export function withNotifiedTargets(
  incident: NotifiedFailureItem,
  destinations: readonly string[],
  at: number,
): NotifiedFailureItem {
  const told = destinations.map((one) => [one, [...(incident.told[one] ?? []), at].slice(-MAX_TIMES)] as const);
  return { ...incident, told: { ...incident.told, ...Object.fromEntries(told) } };
}

/** Without an alert at `at` (epoch ms), which did not arrive: what the destination was told before stands again. */
export function withoutNotification(
  incident: NotifiedFailureItem,
  destination: string,
  at: number,
): NotifiedFailureItem {
  const { [destination]: times = [], ...others } = incident.told;
  if (!times.includes(at)) return incident;
  const left = times.filter((one) => one !== at);
  return { ...incident, told: { ...others, ...(left.length > 0 && { [destination]: left }) } };
}

/** The write of an incident over the one it was made from; none where nothing changed. */
export function notifiedFailureWrites(
  before: NotifiedFailureItem | undefined,
  next: NotifiedFailureItem | undefined,
  token: string,
  now: number,
): Write[] {
  if (!next || before === next) return [];
  const put = { ...next, v: token, expires_at: Math.floor(now / 1000) + KEEP_SECONDS };
  return [{ put, if: before ? { version: before.v } : 'absent' }];
}

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
export function notifiedFailureAfter(
  keys: Keys,
  { entity, incident: before }: { entity: EntityItem; incident?: NotifiedFailureItem | undefined },
  { to, state, since, now, id }: Changed,
): NotifiedFailureItem | undefined {
  if (to === 'down' && entity.dependents > 0) {
    const of = { tenant_id: entity.tenant_id, root_entity_id: entity.id, id };
    return notifiedFailureOf(keys, before, of, since);
  }
  if (!before || before.recovered_at !== undefined || to === 'down' || state === 'down') return before;
  return { ...before, recovered_at: now };
}

export const endsFailure = (before: NotifiedFailureItem | undefined, next: NotifiedFailureItem | undefined): boolean =>
  next !== undefined && next !== before && next.recovered_at !== undefined;

/** The incident with those told of it by an alert for down, whichever brought that. */
export function withNotifiedBy(
  item: AlertItem | undefined,
  incident: NotifiedFailureItem | undefined,
  { to, at }: { to: CheckState; at: number },
): NotifiedFailureItem | undefined {
  // Those who hear more of the impact were told before, and stay so where that news does not reach them.
  if (!incident || !item || item.kind === 'closed' || item.kind === 'impact' || to !== 'down') return incident;
  return withNotifiedTargets(incident, item.to.map(destinationOfTarget), at);
}

/** An entity's failure as those hear of it who depend on it. Times in epoch ms. */
export type NotifiedFailure = {
  root_entity_id: string;
  /** Since when it fails. */
  since: number;
  recovered_at?: number | undefined;
  /** When each destination was alerted of it, the latest last: by an alert of its own, or one that names it. */
  told: Readonly<Record<string, readonly number[]>>;
};

/** Further alerts of an incident within this time are low. */
const FOLD_MS = 300_000;

/** When a destination was last told of an incident (epoch ms); undefined: never, or there is none. */
export const lastNotifiedAt = (
  incident: Pick<NotifiedFailure, 'told'> | undefined,
  destination: string,
): number | undefined => incident?.told[destination]?.at(-1);

/** Whether a destination heard of an incident so lately that what follows is news of the same. */
export const isRecentlyNotified = (
  incident: Pick<NotifiedFailure, 'told'> | undefined,
  destination: string,
  now: number,
): boolean => now - pastOrZero(lastNotifiedAt(incident, destination) ?? 0, now) < FOLD_MS;
