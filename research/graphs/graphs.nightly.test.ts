import { expect, it } from 'vitest';
import { isBeyond } from './own-failures.ts';
import { service } from './policies/service.ts';
import { simulateIncident } from './simulate-incident.ts';
import { SHAPES } from './world.ts';

const SMALL = [24];

it.each(SHAPES)('sends few, timely pages for a root cause and hides no other failure: %s', async (shape) => {
  const seed = SHAPES.indexOf(shape);
  const { outcomes } = await simulateIncident([service], seed, 'own failures', 'complete', SMALL);
  const [real, none] = ['service, real code', 'none, real code'].map((name) => outcomes.get(name)!);
  expect(none!.pages).toBeGreaterThan(0);
  expect(real!.first! - real!.first_without!).toBeLessThanOrEqual(10);
  expect(real!.own.filter(isBeyond)).toEqual([]);
  expect(real!.pages).toBeLessThanOrEqual(Math.min(5, none!.pages));
});

it('gives the same result for the same seed', async () => {
  const simulate = () => simulateIncident([service], 0, 'root', 'incomplete', SMALL);
  expect(await simulate()).toEqual(await simulate());
});
