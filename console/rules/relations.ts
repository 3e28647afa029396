import type { Relation, State } from '#console/api/records.ts';

/**
 * `A depends_on B`: B is upstream of A. What breaks there comes down to A, so that a fault is looked for upstream.
 */
type Ends = Pick<Relation, 'from_entity_id' | 'to_entity_id'>;

/** Who is next to whom, by ids of entities. */
export type Links = {
  upstream: ReadonlyMap<string, readonly string[]>;
  downstream: ReadonlyMap<string, readonly string[]>;
};

const NONE: readonly string[] = [];

/** Each neighbour once, however many relations lead there. */
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

/** Those that can be reached from some in so many steps at most, and these themselves. */
function reached(starts: Iterable<string>, next: (id: string) => readonly string[], steps = Infinity): Set<string> {
  const found = new Set(starts);
  let edge = [...found];
  for (let step = 0; step < steps && edge.length > 0; step++) {
    edge = edge.flatMap(next).filter((id) => !found.has(id) && found.add(id));
  }
  return found;
}

/** An entity and its neighbours, on both sides, up to so many steps away. */
export const around = (id: string, depth: number, { upstream, downstream }: Links): Set<string> =>
  reached([id], (one) => [...(upstream.get(one) ?? NONE), ...(downstream.get(one) ?? NONE)], depth);

/** Everything that a fault of an entity may come down to, without itself. */
export function downstreamOf(id: string, { downstream }: Links): Set<string> {
  const found = reached([id], (one) => downstream.get(one) ?? NONE);
  found.delete(id);
  return found;
}

/**
 * Where to look first, of those that are down: what has nothing upstream that is down. Of some that are down and depend
 * on each other in a circle, with nothing else down upstream, all count.
 * @returns ids in the order of `states`
 */
export function rootCauses(states: ReadonlyMap<string, State>, { upstream, downstream }: Links): string[] {
  const isDown = (id: string) => states.get(id) === 'down';
  const down = [...states.keys()].filter(isDown);
  const above = (id: string) => (upstream.get(id) ?? NONE).filter(isDown);
  const below = (id: string) => (downstream.get(id) ?? NONE).filter(isDown);
  const roots = new Set(down.filter((id) => above(id).length === 0));
  const explained = reached(roots, below);
  // What is left hangs on a circle: its members are those that everything upstream of them leads back to.
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
