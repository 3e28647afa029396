import type { Relation, State } from '#console/api/records.ts';

/** `A depends_on B`: B is upstream of A, and its failures affect A. */
type Ends = Pick<Relation, 'from_entity_id' | 'to_entity_id'>;

/** Related entities by id. */
export type Links = {
  upstream: ReadonlyMap<string, readonly string[]>;
  downstream: ReadonlyMap<string, readonly string[]>;
};

const NONE: readonly string[] = [];

/** Indexes relations by entity; each neighbor occurs once. */
export function linksOf(relations: readonly Ends[]): Links {
  const upstream = new Map<string, string[]>();
  const downstream = new Map<string, string[]>();
  const seen = new Set<string>();
  for (const { from_entity_id: from, to_entity_id: to } of relations) {
    const pair = `${from} ${to}`;
    if (seen.has(pair)) continue;
    seen.add(pair);
    add(upstream, from, to);
    add(downstream, to, from);
  }
  return { upstream, downstream };
}

function add(map: Map<string, string[]>, key: string, id: string): void {
  const known = map.get(key);
  if (known) known.push(id);
  else map.set(key, [id]);
}

function reached(starts: Iterable<string>, next: (id: string) => readonly string[], steps = Infinity): Set<string> {
  const found = new Set(starts);
  let frontier = [...found];
  for (let step = 0; step < steps && frontier.length > 0; step++) {
    frontier = frontier.flatMap(next).filter((id) => !found.has(id) && found.add(id));
  }
  return found;
}

/** Returns an entity and its neighbors in both directions, up to a distance. */
export const around = (id: string, depth: number, { upstream, downstream }: Links): Set<string> =>
  reached([id], (one) => [...(upstream.get(one) ?? NONE), ...(downstream.get(one) ?? NONE)], depth);

/** Returns the given entities and all entities downstream of them. */
export const affectedBy = (ids: Iterable<string>, { downstream }: Links): Set<string> =>
  reached(ids, (one) => downstream.get(one) ?? NONE);

/** Returns all entities downstream of an entity, without itself. */
export function downstreamOf(id: string, links: Links): Set<string> {
  const found = affectedBy([id], links);
  found.delete(id);
  return found;
}

/**
 * Returns the root causes: down entities without a down upstream entity. If no other down entity is upstream of a cycle
 * of down entities, all its members are root causes.
 */
export function rootCauses(states: ReadonlyMap<string, State>, { upstream, downstream }: Links): string[] {
  const isDown = (id: string) => states.get(id) === 'down';
  const down = [...states.keys()].filter(isDown);
  const above = (id: string) => (upstream.get(id) ?? NONE).filter(isDown);
  const below = (id: string) => (downstream.get(id) ?? NONE).filter(isDown);
  const roots = new Set(down.filter((id) => above(id).length === 0));
  const explained = reached(roots, below);
  // The other down entities are in a cycle or depend on one. An entity is in a cycle that causes the
  // failures if all entities upstream of it are also downstream of it.
  for (const id of down) {
    if (explained.has(id)) continue;
    const causes = reached([id], above);
    const effects = reached([id], below);
    if (![...causes].every((one) => effects.has(one))) continue;
    for (const one of causes) roots.add(one);
    for (const one of effects) explained.add(one);
  }
  return down.filter((id) => roots.has(id));
}

/** Describes a relation: `depends_on, group replicas (2 required)`. */
export function relationText({ relation_type, propagates_failure, group, required, when }: Relation): string {
  const isUsual = propagates_failure === (relation_type === 'depends_on');
  return [
    relation_type,
    ...(isUsual ? [] : [propagates_failure ? 'passes on failures' : 'does not pass on failures']),
    ...(when === 'degraded' ? ['passes on the failure of any check'] : []),
    ...(group === null ? [] : [`group ${group}${required === null ? '' : ` (${required} required)`}`]),
  ].join(', ');
}
