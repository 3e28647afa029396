import { makeRandom, type Random } from '#test/support/random.ts';
import { Agenda } from './agenda.ts';
import type { Scene } from './policies/policy.ts';
import { type Spans, spread } from './truth.ts';
import { type Catalog, dependentsIn, makeWorld, SHAPES, SIZES, type World } from './world.ts';

export const SCENARIOS = [
  'root',
  'own failures',
  'flapping root',
  'blip of a root',
  'two roots',
  'single failures',
] as const;
export type Scenario = (typeof SCENARIOS)[number];

/**
 * Incident: root failures and their consequences. `began`: time of the first root failure (ms). `own`: dependents of
 * the root that also fail by themselves, each with the start of that failure (ms).
 */
export type Incident = { scene(): Scene; roots: string[]; began: number; own: ReadonlyMap<string, number> };

const MINUTE = 60_000;
const BEGINS = 5 * MINUTE;
/** Time until everything is known to have recovered. */
const AFTER = 5 * MINUTE;

/**
 * Creates a random incident of a scenario; the same seed gives the same incident. Five consecutive seeds cover all
 * shapes.
 * @param sizes of fleets, of which it uses one
 */
export function makeIncident(
  seed: number,
  scenario: Scenario,
  catalog: Catalog,
  sizes: readonly number[] = SIZES,
): Incident {
  const random = makeRandom(seed);
  const world = makeWorld(random, SHAPES[seed % SHAPES.length]!, random.pick(sizes), catalog);
  const roots = rootsOf(random, world, scenario);
  const began = BEGINS + random.int(0, MINUTE);
  const failing = new Map(roots.map((id, n) => [id, spansOf(random, scenario, began + n * random.int(0, 2 * MINUTE))]));
  const own: Map<string, Spans> =
    scenario === 'own failures' ? ownFailures(random, world, roots[0]!, failing.get(roots[0]!)!) : new Map();
  for (const [id, spans] of own) failing.set(id, spans);
  const truth = spread(random, world, failing);
  const last = Math.max(...[...truth.values()].flatMap((spans) => spans.map(([, to]) => to)));
  return {
    ...{ roots, began, own: new Map([...own].map(([id, spans]) => [id, spans[0]![0]])) },
    scene: () => ({ world, truth, agenda: new Agenda(), end: last + AFTER }),
  };
}

/** Lets up to two dependents of a root also fail by themselves for 5 to 25 minutes, beginning during its failure. */
function ownFailures(random: Random, world: World, root: string, spans: Spans): Map<string, Spans> {
  const [from, to] = spans[0]!;
  const dependents = [...dependentsIn(world, root)].filter((id) => world.entities.get(id)!.checked !== 'none').sort();
  const picked = new Set(dependents.length === 0 ? [] : [random.pick(dependents), random.pick(dependents)]);
  return new Map(
    [...picked].map((id) => {
      const begins = random.int(from, to);
      return [id, [[begins, begins + random.int(5 * MINUTE, 25 * MINUTE)]]];
    }),
  );
}

function rootsOf(random: Random, world: World, scenario: Scenario): string[] {
  const pulled = [...world.entities.values()].filter(({ checked }) => checked === 'pull').map(({ id }) => id);
  if (scenario === 'single failures') {
    const leaves = pulled.filter((id) => dependentsIn(world, id).size === 0);
    return [...new Set([random.pick(leaves), random.pick(leaves), random.pick(leaves)])];
  }
  const busiest = () => {
    const picked = Array.from({ length: 8 }, () => random.pick(pulled));
    return picked.toSorted((a, b) => dependentsIn(world, b).size - dependentsIn(world, a).size)[0]!;
  };
  // Sorted, so that of two roots the earlier entity fails first.
  return [...new Set(scenario === 'two roots' ? [busiest(), busiest()] : [busiest()])].sort();
}

function spansOf(random: Random, scenario: Scenario, from: number): Spans {
  if (scenario === 'blip of a root') return [[from, from + random.int(3_000, 25_000)]];
  if (scenario !== 'flapping root') return [[from, from + random.int(3 * MINUTE, 20 * MINUTE)]];
  const spans: [number, number][] = [];
  for (let n = 0, at = from; n < random.int(4, 8); n++) {
    spans.push([at, at + random.int(60_000, 150_000)]);
    at = spans.at(-1)![1] + random.int(30_000, 120_000);
  }
  return spans;
}
