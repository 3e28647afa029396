import { expect, it } from 'vitest';
import { liveThrough } from './lived.ts';
import { isBeyond } from './own-failures.ts';
import { service } from './policies/service.ts';
import { SHAPES } from './world.ts';

const SMALL = [24];

it.each(SHAPES)('sends few, timely pages for a root cause and hides no other failure: %s', async (shape) => {
  const seed = SHAPES.indexOf(shape);
  const { outcomes } = await liveThrough([service], seed, 'own failures', 'true', SMALL);
  const [real, none] = ['service, real code', 'none, real code'].map((name) => outcomes.get(name)!);
  expect(none!.pages).toBeGreaterThan(0);
  expect(real!.first! - real!.first_without!).toBeLessThanOrEqual(10);
  expect(real!.own.filter(isBeyond)).toEqual([]);
  expect(real!.pages).toBeLessThanOrEqual(Math.min(5, none!.pages));
});

it('gives the same result for the same seed', async () => {
  const live = () => liveThrough([service], 0, 'root', 'imperfect', SMALL);
  expect(await live()).toEqual(await live());
});
