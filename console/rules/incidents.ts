import type { State, Transition } from '#console/api/records.ts';
import type { FleetRow } from './fleet.ts';
import { isTrouble } from './states.ts';

/**
 * A time in which an entity was not well: from the change that made it degraded or down to the one that ended that.
 * One that comes back soon after is the same incident: it flaps.
 */
export type Incident = {
  entity: Pick<FleetRow, 'id' | 'name' | 'blueprint_slug' | 'slug'>;
  /** ISO 8601: when the first of the failed runs was, where that is known. */
  from: string;
  /** It began before `from`: in what was not read. */
  isCut: boolean;
  /** ISO 8601; null while it runs. */
  to: string | null;
  /** What the entity is now, or became at the end. */
  state: State;
  worst: 'degraded' | 'down';
  /** How often it began; more than once: it flaps. */
  times: number;
  /** What happened in it, oldest first; empty where nothing of it was read. */
  transitions: readonly Transition[];
};

/** What ends and begins again within this time is one incident. */
const FLAPPING_MS = 10 * 60_000;

/** The incidents of some transitions, in any order: those that run first, then by when they began, newest first. */
export function incidentsOf(transitions: readonly Transition[]): Incident[] {
  const byEntity = Map.groupBy(transitions.toSorted(byTime), ({ entity_id }) => entity_id);
  return inOrder([...byEntity.values()].flatMap(ofEntity));
}

const byTime = (a: Transition, b: Transition): number => (a.timestamp < b.timestamp ? -1 : 1);

const inOrder = (incidents: readonly Incident[]): Incident[] =>
  incidents.toSorted(
    (a, b) => Number(a.to !== null) - Number(b.to !== null) || (a.from < b.from ? 1 : a.from > b.from ? -1 : 0),
  );

/** @param transitions of one entity, oldest first: each begins in the state in which the one before ended */
function ofEntity(transitions: readonly Transition[]): Incident[] {
  const incidents: Incident[] = [];
  for (const one of transitions) {
    const last = incidents.at(-1);
    const runs = last?.to === null;
    const began = isTrouble(one.from_state);
    if (!began && !isTrouble(one.to_state)) continue;
    if (last && (runs || isSoon(last, one))) incidents[incidents.length - 1] = continued(last, one);
    else incidents.push(begun(one, began));
  }
  return incidents;
}

const isSoon = ({ to }: Incident, { timestamp }: Transition): boolean =>
  to !== null && Date.parse(timestamp) - Date.parse(to) < FLAPPING_MS;

function begun(one: Transition, isCut: boolean): Incident {
  const { entity_id: id, entity_name: name, blueprint_slug, entity_slug: slug, from_state, timestamp } = one;
  const incident: Incident = {
    entity: { id, name, blueprint_slug, slug },
    from: (isCut ? null : one.outage_started_at) ?? timestamp,
    isCut,
    to: null,
    state: from_state,
    worst: from_state === 'down' ? 'down' : 'degraded',
    times: 1,
    transitions: [],
  };
  return continued(incident, one);
}

/** An incident with what happened next in it. */
const continued = (incident: Incident, one: Transition): Incident => ({
  ...incident,
  entity: { ...incident.entity, name: one.entity_name },
  to: isTrouble(one.to_state) ? null : one.timestamp,
  state: one.to_state,
  worst: one.to_state === 'down' ? 'down' : incident.worst,
  times: incident.times + (incident.to === null ? 0 : 1),
  transitions: [...incident.transitions, one],
});

/** With those of entities that are in trouble since before what was read. */
export function withRunning(incidents: readonly Incident[], fleet: Iterable<FleetRow>): Incident[] {
  const known = new Set(incidents.filter(({ to }) => to === null).map(({ entity }) => entity.id));
  const older = [...fleet].flatMap((entity) => {
    const { state, state_since: from } = entity;
    if (!isTrouble(state) || known.has(entity.id)) return [];
    return [{ entity, from, isCut: true, to: null, state, worst: state, times: 1, transitions: [] }];
  });
  return inOrder([...incidents, ...older]);
}

/** How long it has lasted, or did, in ms; at least so long where its beginning is not known. */
export const lastedMs = ({ from, to }: Incident, now: number): number =>
  (to === null ? now : Date.parse(to)) - Date.parse(from);

/** What was wrong at first; empty where it is not known. */
export const firstError = ({ transitions }: Incident): string =>
  transitions.find(({ check_to_state, error_message }) => isTrouble(check_to_state) && error_message)?.error_message ??
  '';

/** The ids of the checks that failed or warned, in the order in which they did. */
export const checksOf = ({ transitions }: Incident): string[] => [
  ...new Set(
    transitions
      .filter((one) => isTrouble(one.check_to_state) || isTrouble(one.check_from_state))
      .map(({ check_id }) => check_id),
  ),
];

/** Why nobody was told, in a word or two for lists. */
const NOT_TOLD: Readonly<Record<NonNullable<Transition['alert']['reason']>, string>> = {
  configuration: 'changed by a user',
  silenced: 'silenced',
  initial: 'first result',
  degraded_off: 'degraded is not announced',
  recovery_off: 'recovery is not announced',
  flapping: 'it flaps',
  cooldown: 'cooldown',
  no_channels: 'no channel',
  dependency: 'follows from another failure',
  maintenance: 'maintenance',
  remediation: 'a repair came first',
};

/** Whether anybody was told of it: how many deliveries there were, or why there was none. */
export function toldOf({ transitions }: Incident): { deliveries: number; why: string } {
  const deliveries = transitions.reduce((sum, { alert }) => sum + alert.deliveries.length, 0);
  const reason = transitions.find(({ check_to_state }) => isTrouble(check_to_state))?.alert.reason;
  return { deliveries, why: deliveries === 0 && reason ? NOT_TOLD[reason] : '' };
}

/** When the first change of it that was read happened: by this an incident is found again. */
export const foundAt = ({ transitions, from }: Incident): string => transitions[0]?.timestamp ?? from;

/** What ran at a moment, or was the last before it; undefined where there is none. @param at ISO 8601 */
export const incidentAt = (transitions: readonly Transition[], at: string): Incident | undefined =>
  incidentsOf(transitions)
    .filter((incident) => foundAt(incident) <= at)
    .toSorted((a, b) => (foundAt(a) < foundAt(b) ? 1 : -1))[0];

/** Whether what comes after these transitions of its entity is another incident, if any. */
export const isPast = ({ to }: Incident, transitions: readonly Transition[]): boolean =>
  to !== null && transitions.some(({ timestamp }) => Date.parse(timestamp) - Date.parse(to) >= FLAPPING_MS);
