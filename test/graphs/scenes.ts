import { makeRandom, type Random } from '#test/support/random.ts';
import { Agenda } from './agenda.ts';
import type { Scene } from './policies/policy.ts';
import { type Spans, spread } from './truth.ts';
import { type Catalog, dependentsOf, makeWorld, SHAPES, SIZES, type World } from './world.ts';

export const SCENARIOS = ['root', 'flapping root', 'blip of a root', 'two roots', 'single failures'] as const;
export type Scenario = (typeof SCENARIOS)[number];

/** An incident: what fails by itself, and all that follows from it. */
export type Incident = { scene(): Scene; roots: string[]; began: number };

const MINUTE = 60_000;
const BEGINS = 5 * MINUTE;
const AFTER = 25 * MINUTE;

/** A random incident of a scenario; the same seed, the same incident. */
export function makeIncident(seed: number, scenario: Scenario, catalog: Catalog): Incident {
  const random = makeRandom(seed);
  const world = makeWorld(random, SHAPES[seed % SHAPES.length]!, random.pick(SIZES), catalog);
  const roots = rootsOf(random, world, scenario);
  const began = BEGINS + random.int(0, MINUTE);
  const own = new Map(roots.map((id, n) => [id, spansOf(random, scenario, began + n * random.int(0, 2 * MINUTE))]));
  const truth = spread(random, world, own);
  const last = Math.max(...[...truth.values()].flatMap((spans) => spans.map(([, to]) => to)));
  return { roots, began, scene: () => ({ world, truth, agenda: new Agenda(), end: last + AFTER }) };
}

function rootsOf(random: Random, world: World, scenario: Scenario): string[] {
  const pulled = [...world.entities.values()].filter(({ checked }) => checked === 'pull').map(({ id }) => id);
  if (scenario === 'single failures') {
    const leaves = pulled.filter((id) => dependentsOf(world, id) === 0);
    return [...new Set([random.pick(leaves), random.pick(leaves), random.pick(leaves)])];
  }
  const busiest = () => {
    const picked = Array.from({ length: 8 }, () => random.pick(pulled));
    return picked.toSorted((a, b) => dependentsOf(world, b) - dependentsOf(world, a))[0]!;
  };
  // Earlier entities first, as what follows is worked out in their order.
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
