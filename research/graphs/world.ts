import type { Dependency } from '#lib/alerting/cause/graph.ts';
import { to } from '#test/support/depends-on.ts';
import type { Random } from '#test/support/random.ts';

/** Entity with at most one check; times in ms. */
export type Entity = {
  id: string;
  /** `none`: not checked. */
  checked: 'pull' | 'push' | 'none';
  interval_ms: number;
  threshold: number;
  phase_ms: number;
  /** Duration of a failed probe: refused at once, or until its timeout. */
  fails_in_ms: number;
};

/** Relations by their source entity. */
export type Relations = Map<string, Dependency[]>;

/** `propagating`: relations that propagate failure. `declared`: relations in the catalog. */
export type World = { shape: Shape; entities: Map<string, Entity>; propagating: Relations; declared: Relations };

export const SHAPES = ['tree', 'layers', 'shared databases', 'redundant', 'messy'] as const;
export type Shape = (typeof SHAPES)[number];
export const SIZES = [50, 100, 200, 500, 1000, 2000] as const;

export const TIMEOUT_MS = 5_000;

/** `incomplete`: some relations are missing, some propagate nothing, and some checks are push checks. */
export type Catalog = 'complete' | 'incomplete';

/** Creates a random fleet. Relations lead from later entities to earlier ones, except in cycles of a messy fleet. */
export function makeWorld(random: Random, shape: Shape, size: number, catalog: Catalog): World {
  const ids = Array.from({ length: size }, (_, n) => `e${String(n).padStart(4, '0')}`);
  const layerOf = layersOf(shape, size);
  const entities = new Map(
    ids.map((id, n) => [id, makeEntity(random, id, isUnchecked(random, shape, layerOf(n)), catalog)]),
  );
  const propagating: Relations = new Map(ids.map((id, n) => [id, dependenciesOf(random, shape, ids, n, layerOf)]));
  const declared: Relations = new Map(
    [...propagating].map(([id, own]) => [
      id,
      catalog === 'complete' ? [...own] : own.filter(() => !random.chance(0.05)),
    ]),
  );
  if (catalog === 'incomplete') addUntrue(random, ids, declared);
  if (shape === 'messy') addCycles(random, propagating, declared);
  return { shape, entities, propagating, declared };
}

function makeEntity(random: Random, id: string, isUnchecked: boolean, catalog: Catalog): Entity {
  const interval_ms = random.pick([10, 15, 30, 60]) * 1000;
  const isPush = catalog === 'incomplete' && random.chance(0.1);
  return {
    id,
    checked: isUnchecked ? 'none' : isPush ? 'push' : 'pull',
    interval_ms,
    threshold: random.int(1, 3),
    phase_ms: random.int(0, interval_ms - 1),
    fails_in_ms: random.chance(0.5) ? 50 : TIMEOUT_MS,
  };
}

/** Whether an entity is not checked, as 15 % of one layer of a messy fleet. */
const isUnchecked = (random: Random, shape: Shape, layer: number): boolean =>
  shape === 'messy' && layer === 2 && random.chance(0.15);

const LAYERS = 5;

const layersOf =
  (shape: Shape, size: number) =>
  (n: number): number =>
    shape === 'tree' ? n : Math.min(LAYERS - 1, Math.floor(Math.sqrt(n / size) * LAYERS));

function dependenciesOf(
  random: Random,
  shape: Shape,
  ids: string[],
  n: number,
  layerOf: (n: number) => number,
): Dependency[] {
  if (n === 0) return [];
  if (shape === 'tree') return [to(ids[Math.floor(n * random.next() ** 1.5)]!)];
  if (shape === 'shared databases') {
    const databases = Math.max(2, Math.round(ids.length / 25));
    if (n < databases) return [];
    const own = some(random, ids.slice(0, databases), random.int(1, 2));
    const others = some(random, ids.slice(databases, n), random.int(0, 1));
    return [...new Set([...own, ...others])].map((id) => to(id));
  }
  const above = ids.filter((_, i) => layerOf(i) === layerOf(n) - 1);
  if (above.length === 0) return [];
  const chosen = some(random, above, random.int(1, 3));
  if (shape !== 'redundant' || chosen.length < 2 || random.chance(0.4)) return chosen.map((id) => to(id));
  const required = chosen.length > 2 && random.chance(0.5) ? 2 : 1;
  return chosen.map((id) => to(id, { group: 'replicas', required }));
}

function some(random: Random, list: readonly string[], count: number): string[] {
  if (list.length === 0) return [];
  return [...new Set(Array.from({ length: count }, () => random.pick(list)))];
}

/** Declares relations that propagate nothing: about one for ten others. */
function addUntrue(random: Random, ids: string[], declared: Relations): void {
  for (const [id, own] of declared) {
    const n = ids.indexOf(id);
    if (n === 0 || !random.chance(0.1 * Math.max(1, own.length))) continue;
    const other = ids[random.int(0, n - 1)]!;
    if (!own.some(({ to_entity_id }) => to_entity_id === other)) own.push(to(other));
  }
}

/** Declares 2 % of the dependencies also in the opposite direction. */
function addCycles(random: Random, propagating: Relations, declared: Relations): void {
  for (const [id, own] of propagating) {
    for (const { to_entity_id } of own) if (random.chance(0.02)) declared.get(to_entity_id)!.push(to(id));
  }
}

/** Returns the transitive dependents of an entity. */
export function dependentsIn({ propagating }: World, id: string): Set<string> {
  const found = new Set<string>();
  // Relations lead to earlier entities, which come first.
  for (const [from, own] of propagating) {
    if (own.some(({ to_entity_id }) => to_entity_id === id || found.has(to_entity_id))) found.add(from);
  }
  return found;
}

/** Returns the transitive declared dependencies of an entity. */
export function ancestorsOf({ declared }: World, id: string): Set<string> {
  const found = new Set<string>();
  const reach = (from: string): void => {
    for (const { to_entity_id } of declared.get(from) ?? []) {
      if (found.has(to_entity_id)) continue;
      found.add(to_entity_id);
      reach(to_entity_id);
    }
  };
  reach(id);
  return found;
}
