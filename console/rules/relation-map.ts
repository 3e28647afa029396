import type { Relation } from '#console/api/records.ts';
import { byName, type Fleet, type FleetRow } from './fleet.ts';
import { affectedBy, around, type Links, linksOf, rootCauses } from './relations.ts';
import { severityRank } from './states.ts';

/**
 * Filters of the map. `depth`: maximum distance from the entity `around`. `all`: if false and root causes exist, the
 * map shows only them and the entities downstream of them.
 */
export type MapFilter = { blueprint: string; around: string | undefined; depth: number; all: boolean };

export type MapView = {
  /** Root causes first, then unhealthy entities, then by name. */
  rows: readonly FleetRow[];
  relations: readonly Relation[];
  /** Ids of root causes in the whole fleet. */
  roots: readonly string[];
  /** Links by relations that propagate failure, in the whole fleet. */
  links: Links;
  /** Number of matching entities without a relation to another one. */
  alone: number;
  /** Number of relations between a matching entity and one that does not match. */
  hiddenRelations: number;
};

/** Maximum number of entities: larger maps are unreadable and take seconds to compute. */
export const MAX_ON_MAP = 300;

export function mapOf(fleet: Fleet, relations: readonly Relation[], filter: MapFilter): MapView {
  const links = linksOf(relations.filter(({ propagates_failure }) => propagates_failure));
  const roots = rootCauses(new Map([...fleet.values()].map(({ id, state }) => [id, state])), links);
  const affected = filter.all || roots.length === 0 ? undefined : affectedBy(roots, links);
  const near = filter.around === undefined ? affected : around(filter.around, filter.depth, linksOf(relations));
  const fits = (id: string) => {
    const row = fleet.get(id);
    if (!row || (near && !near.has(id))) return false;
    return filter.blueprint === '' || row.blueprint_slug === filter.blueprint || id === filter.around;
  };
  const wanted = new Set([...fleet.keys()].filter(fits));
  const between = relations.filter((one) => wanted.has(one.from_entity_id) && wanted.has(one.to_entity_id));
  const related = new Set(between.flatMap((one) => [one.from_entity_id, one.to_entity_id]));
  if (filter.around !== undefined && wanted.has(filter.around)) related.add(filter.around);
  if (affected) for (const id of roots) related.add(id);
  const isRoot = new Set(roots);
  const rank = ({ id, state }: FleetRow) => (isRoot.has(id) ? -1 : severityRank(state));
  const rows = [...related].map((id) => fleet.get(id)!);
  return {
    rows: rows.sort((a, b) => rank(a) - rank(b) || byName(a.name, b.name)),
    relations: between,
    roots,
    links,
    alone: wanted.size - related.size,
    hiddenRelations: relations.filter((one) => wanted.has(one.from_entity_id) !== wanted.has(one.to_entity_id)).length,
  };
}
