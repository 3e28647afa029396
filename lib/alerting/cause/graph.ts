import type { StoredRelation } from '#lib/catalog/relations/relation.ts';

/** Relation that propagates failure, seen from the dependent. */
export type Dependency = Pick<StoredRelation, 'to_entity_id' | 'group' | 'required' | 'when'>;

/** Direct and indirect dependencies of an entity, within the limits of the walk. */
export type Graph = {
  start: string;
  /** Direct dependencies of each reached entity, in the order of the walk: the start, then the nearest first. */
  dependencies: ReadonlyMap<string, readonly Dependency[]>;
  truncated: boolean;
};

/** Number of relations after which a walk stops, and maximum number of relations that it reads from an entity. */
export const MAX_RELATIONS = 1_000;
/** Maximum number of upstream entities, and of relations on the path to the farthest one. */
const MAX_ENTITIES = 200;
const MAX_LEVELS = 16;

/** Walks from an entity to its dependencies, nearest first, then by id. `load`: undefined for a deleted entity. */
export async function walkUpstream(
  start: string,
  load: (ids: string[]) => Promise<(readonly Dependency[] | undefined)[]>,
): Promise<Graph> {
  const dependencies = new Map<string, readonly Dependency[]>();
  let level = [start];
  let relations = 0;
  for (let n = 0; level.length > 0; n++) {
    const room = MAX_ENTITIES + 1 - dependencies.size;
    if (n > MAX_LEVELS || room <= 0 || relations >= MAX_RELATIONS) return { start, dependencies, truncated: true };
    const reached = level.slice(0, room);
    const loaded = await load(reached);
    for (const [i, id] of reached.entries()) if (loaded[i]) dependencies.set(id, loaded[i]);
    if (reached.length < level.length) return { start, dependencies, truncated: true };
    const beyond = loaded.flatMap((own) => own?.map((one) => one.to_entity_id) ?? []);
    relations += beyond.length;
    level = [...new Set(beyond)].filter((id) => !dependencies.has(id)).sort();
  }
  return { start, dependencies, truncated: false };
}

/** Requirement of an entity: `required` members must be healthy. `when`: state in which a member counts as failed. */
export type Requirement = { required: number; members: { id: string; when: Dependency['when'] }[] };

/** Returns the requirements of an entity: one per group, and one per relation without a group. */
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

/** Returns the cycle number of each entity; only entities of the same cycle share a number. */
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
