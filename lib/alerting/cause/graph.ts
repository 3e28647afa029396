import type { StoredRelation } from '#lib/catalog/relations/relation.ts';

/** A relation that carries failure, seen from the dependent. */
export type Dependency = Pick<StoredRelation, 'to_entity_id' | 'group' | 'required' | 'when'>;

/** What an entity depends on, directly and through others, as far as it was walked. */
export type Graph = {
  start: string;
  /** By entity: what it depends on directly. Each that was reached has an entry: the start, then the nearest first. */
  dependencies: ReadonlyMap<string, readonly Dependency[]>;
  /** There is more beyond the limits of the walk. What lies there counts as well. */
  truncated: boolean;
};

/** Most entities beside the start that a walk reaches, and most relations that lead to the farthest. */
const MAX_ENTITIES = 200;
const MAX_LEVELS = 16;

/**
 * Walks from an entity to all that it depends on, nearest first and by id within a level.
 * @param load the dependencies of some entities, in their order; of those that are gone, undefined
 */
export async function walkUpstream(
  start: string,
  load: (ids: string[]) => Promise<(readonly Dependency[] | undefined)[]>,
): Promise<Graph> {
  const dependencies = new Map<string, readonly Dependency[]>();
  let level = [start];
  for (let n = 0; level.length > 0; n++) {
    const room = MAX_ENTITIES + 1 - dependencies.size;
    if (n > MAX_LEVELS || room <= 0) return { start, dependencies, truncated: true };
    const reached = level.slice(0, room);
    const loaded = await load(reached);
    for (const [i, id] of reached.entries()) if (loaded[i]) dependencies.set(id, loaded[i]);
    if (reached.length < level.length) return { start, dependencies, truncated: true };
    const beyond = loaded.flatMap((own) => own?.map((one) => one.to_entity_id) ?? []);
    level = [...new Set(beyond)].filter((id) => !dependencies.has(id)).sort();
  }
  return { start, dependencies, truncated: false };
}

/** What an entity needs: so many of some others, each as its relation says. */
export type Requirement = { required: number; members: { id: string; when: Dependency['when'] }[] };

/** What an entity needs by its relations: one for each group, and one for each relation without. */
export function requirementsOf(dependencies: readonly Dependency[]): Requirement[] {
  const groups = Map.groupBy(dependencies, ({ group, to_entity_id, when }) => group ?? ` ${when} ${to_entity_id}`);
  return [...groups.values()].map((relations) => {
    const members = [...Map.groupBy(relations, ({ to_entity_id }) => to_entity_id)].map(([id, same]) => ({
      id,
      when: same.some(({ when }) => when === 'degraded') ? ('degraded' as const) : ('down' as const),
    }));
    const stated = relations.flatMap(({ required }) => required ?? []);
    return { required: Math.min(members.length, ...(stated.length > 0 ? stated : [1])), members };
  });
}

/** By entity of a graph: the cycle that it is part of, as a number that the entities of the cycle share alone. */
export function cyclesOf({ dependencies }: Graph): Map<string, number> {
  const [index, cycle] = [new Map<string, number>(), new Map<string, number>()];
  const open: string[] = [];
  const visit = (id: string): number => {
    const own = index.size;
    let low = own;
    index.set(id, own);
    open.push(id);
    for (const { to_entity_id: next } of dependencies.get(id) ?? []) {
      if (!dependencies.has(next) || cycle.has(next)) continue;
      low = Math.min(low, index.has(next) ? index.get(next)! : visit(next));
    }
    if (low === own) for (const one of open.splice(open.indexOf(id))) cycle.set(one, own);
    return low;
  };
  for (const id of dependencies.keys()) if (!index.has(id)) visit(id);
  return cycle;
}
