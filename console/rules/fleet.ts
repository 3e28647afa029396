import type { State, StatusEntity, Transition } from '#console/api/records.ts';
import { labelText } from './labels.ts';
import { BY_SEVERITY, isTrouble, severityRank } from './states.ts';

export type FleetRow = StatusEntity;
/** Entities by id, sorted by name. */
export type Fleet = ReadonlyMap<string, FleetRow>;
export type Counts = Record<State | 'total', number>;

/** Natural order: `web-2` before `web-10`. Shared, because creating a collator is slow. */
const NAMES = new Intl.Collator(undefined, { numeric: true, sensitivity: 'base' });

export const byName = (a: string, b: string): number => NAMES.compare(a, b);

export function fleetOf(entities: readonly StatusEntity[]): Fleet {
  const named = entities.toSorted((a, b) => byName(a.name, b.name) || (a.id < b.id ? -1 : 1));
  return new Map(named.map((entity) => [entity.id, entity]));
}

/** Applies transitions (listed newest first) that are not before `state_since`; undefined if an entity is missing. */
export function patched(fleet: Fleet, transitions: readonly Transition[]): Fleet | undefined {
  const next = new Map(fleet);
  for (const change of transitions.toReversed()) {
    const { entity_id, timestamp, to_state, check_to_state } = change;
    const row = next.get(entity_id);
    if (!row) return undefined;
    if (timestamp < row.state_since) continue;
    const state_since = row.state === to_state ? row.state_since : timestamp;
    const newest = isTrouble(check_to_state) ? change.error_message : row.error_message;
    const error_message = isTrouble(to_state) ? newest : '';
    next.set(entity_id, { ...row, state: to_state, state_since, error_message });
  }
  return next;
}

export function countsOf(rows: Iterable<{ state: State }>): Counts {
  const counts: Counts = { total: 0, up: 0, degraded: 0, down: 0, unknown: 0 };
  for (const { state } of rows) {
    counts.total++;
    counts[state]++;
  }
  return counts;
}

/** Whether an entity has no result yet: it has been unknown since its creation. */
export const hasNeverRun = ({ state, state_since, created_at }: FleetRow): boolean =>
  state === 'unknown' && state_since === created_at;

/** Sorts by state: down, degraded, unknown, up, not run yet; then by name. */
export function inOrder(fleet: Fleet): FleetRow[] {
  const byState = new Map<State, FleetRow[]>(BY_SEVERITY.map((state) => [state, []]));
  const neverRun: FleetRow[] = [];
  for (const row of fleet.values()) (hasNeverRun(row) ? neverRun : byState.get(row.state))?.push(row);
  return [...BY_SEVERITY.flatMap((state) => byState.get(state) ?? []), ...neverRun];
}

/** Filters of the list; `words` must all occur in name, slug, blueprint, labels or message. */
type Filter = { states: ReadonlySet<State>; words: string };

export function filtered(rows: readonly FleetRow[], { states, words }: Filter): FleetRow[] {
  const wanted = words.toLowerCase().split(/\s+/).filter(Boolean);
  return rows.filter((row) => {
    if (states.size > 0 && !states.has(row.state)) return false;
    if (wanted.length === 0) return true;
    const text =
      `${row.name}\n${row.slug}\n${row.blueprint_slug}\n${row.error_message}\n${labelText(row.labels)}`.toLowerCase();
    return wanted.every((word) => text.includes(word));
  });
}

type Heading = { group: string; rows: FleetRow[]; worst: State };
export type Line = Heading | FleetRow;

export const isHeading = (line: Line): line is Heading => 'group' in line;

/** Groups rows (worst state first) by blueprint, the worst group first; rows of `closed` groups are omitted. */
export function grouped(rows: readonly FleetRow[], closed: ReadonlySet<string>): Line[] {
  const groups = new Map<string, FleetRow[]>();
  for (const row of rows) {
    const group = groups.get(row.blueprint_slug);
    if (group) group.push(row);
    else groups.set(row.blueprint_slug, [row]);
  }
  return [...groups]
    .map(([group, members]) => ({ group, rows: members, worst: members[0]!.state }))
    .sort((a, b) => severityRank(a.worst) - severityRank(b.worst) || byName(a.group, b.group))
    .flatMap((heading) => (closed.has(heading.group) ? [heading] : [heading, ...heading.rows]));
}
