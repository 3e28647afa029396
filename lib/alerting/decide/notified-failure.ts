import type { EntityItem, IncidentRef } from '#lib/catalog/entity.ts';
import type { CheckState, EntityState } from '#lib/catalog/states.ts';
import type { Keys } from '#lib/keys.ts';
import { derivedId, timeOf } from '#lib/platform/ids.ts';
import type { Item, Write } from '#lib/platform/ports.ts';
import { pastOrZero } from '#lib/platform/time.ts';
import { type AlertItem, destinationOfTarget } from './alert-item.ts';

/**
 * Recipients notified of the last failure of an entity with dependents, by its own alert or one that names it. One item
 * per entity; `id` is also its incident's id. Times in epoch ms. 300 bytes, 40 per destination, 10 per further time.
 */
export type NotifiedFailureItem = Item &
  NotifiedFailure & {
    v: string;
    id: string;
    tenant_id: string;
  };

const DAY_SECONDS = 86_400;
/** Lifetime of the item. Longer than any cooldown, during which a notification of an earlier failure counts. */
const KEEP_SECONDS = 8 * DAY_SECONDS;
/** Maximum number of alerts stored per destination; more are rarely in flight at a time. */
const MAX_TIMES = 10;

/** The failed entity, and the id of its incident if one exists. */
type FailureRef = { tenant_id: string; root_entity_id: string; id?: string | undefined };

/** Returns the present notified failure: `before`, or a new one if it is over or undefined. @param since epoch ms */
export function notifiedFailureOf(
  keys: Keys,
  before: NotifiedFailureItem | undefined,
  { id, ...of }: FailureRef,
  since: number,
): NotifiedFailureItem {
  if (before && before.recovered_at === undefined) return before;
  return {
    ...keys.notifiedFailure(of.tenant_id, of.root_entity_id),
    ...of,
    v: '',
    id: id ?? derivedId('inc', since, of.tenant_id, of.root_entity_id),
    since,
    notified_at: before?.notified_at ?? {},
  };
}

/** Returns the incident of a root cause: the present one, that of the notified failure, or a new one. */
export const ownIncident = (
  { id, incident }: Pick<EntityItem, 'id' | 'incident'>,
  failure: NotifiedFailureItem | undefined,
  { transition_id }: { transition_id: string },
): IncidentRef => {
  if (incident) return incident;
  const isLive = failure && failure.recovered_at === undefined;
  return { id: isLive ? failure.id : incidentIdFor(transition_id), root_entity_id: id };
};

/** Returns the id of the incident that a transition opens; derived, so that it is opened once. */
export const incidentIdFor = (transition_id: string): string => derivedId('inc', timeOf(transition_id), transition_id);

/** Returns the write that adds an entity to an incident; none if it already belongs to one. */
export function joinWrites(entity: EntityItem, incident: IncidentRef | undefined, token: string): Write[] {
  if (!incident || entity.incident) return [];
  const put: EntityItem = { ...entity, v: token, incident };
  return [{ put, if: { version: entity.v } }];
}

/** Adds destinations notified at `at` (epoch ms). */
export function withNotifiedTargets(
  failure: NotifiedFailureItem,
  destinations: readonly string[],
  at: number,
): NotifiedFailureItem {
  const notified_at = destinations.map(
    (one) => [one, [...(failure.notified_at[one] ?? []), at].slice(-MAX_TIMES)] as const,
  );
  return { ...failure, notified_at: { ...failure.notified_at, ...Object.fromEntries(notified_at) } };
}

/** Removes the alert at `at` (epoch ms) to a destination, because it did not arrive; its other alerts remain. */
export function withoutNotification(
  failure: NotifiedFailureItem,
  destination: string,
  at: number,
): NotifiedFailureItem {
  const { [destination]: times = [], ...others } = failure.notified_at;
  if (!times.includes(at)) return failure;
  const left = times.filter((one) => one !== at);
  return { ...failure, notified_at: { ...others, ...(left.length > 0 && { [destination]: left }) } };
}

/** Returns the write of a notified failure that replaces `before`; none if nothing changed. */
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
  to: CheckState;
  state: EntityState;
  /** Epoch ms of the first result in the new state. */
  since: number;
  now: number;
  incident_id: string;
};

/** Opens, continues or ends a notified failure after a change of a check; else returns the one before, if any. Pure. */
export function notifiedFailureAfter(
  keys: Keys,
  { entity, notifiedFailure: before }: { entity: EntityItem; notifiedFailure?: NotifiedFailureItem | undefined },
  { to, state, since, now, incident_id }: Changed,
): NotifiedFailureItem | undefined {
  if (to === 'down' && entity.dependents > 0) {
    const of = { tenant_id: entity.tenant_id, root_entity_id: entity.id, id: incident_id };
    return notifiedFailureOf(keys, before, of, since);
  }
  if (!before || before.recovered_at !== undefined || to === 'down' || state === 'down') return before;
  return { ...before, recovered_at: now };
}

export const endsFailure = (before: NotifiedFailureItem | undefined, next: NotifiedFailureItem | undefined): boolean =>
  next !== undefined && next !== before && next.recovered_at !== undefined;

export function withNotifiedBy(
  item: AlertItem | undefined,
  failure: NotifiedFailureItem | undefined,
  { to, at }: { to: CheckState; at: number },
): NotifiedFailureItem | undefined {
  // Recipients of an impact update were notified before, and stay notified if it fails.
  if (!failure || !item || item.kind === 'closed' || item.kind === 'impact' || to !== 'down') return failure;
  return withNotifiedTargets(failure, item.to.map(destinationOfTarget), at);
}

/** The failure of an entity as its dependents see it. Times in epoch ms. */
export type NotifiedFailure = {
  root_entity_id: string;
  since: number;
  recovered_at?: number | undefined;
  /** Alert times of each destination, ascending: of alerts about the entity and of alerts that name it. */
  notified_at: Readonly<Record<string, readonly number[]>>;
};

/** Time in ms within which further alerts of a failure to the same destination have low urgency. */
const FOLD_MS = 300_000;

/** Returns when a destination was last notified of a failure (epoch ms). */
export const lastNotifiedAt = (
  failure: Pick<NotifiedFailure, 'notified_at'> | undefined,
  destination: string,
): number | undefined => failure?.notified_at[destination]?.at(-1);

/** Whether the destination was notified of this failure recently, so that a follow-up is not urgent. */
export const isRecentlyNotified = (
  failure: Pick<NotifiedFailure, 'notified_at'> | undefined,
  destination: string,
  now: number,
): boolean => now - pastOrZero(lastNotifiedAt(failure, destination) ?? 0, now) < FOLD_MS;
