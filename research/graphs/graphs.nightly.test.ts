import { expect, it } from 'vitest';
import { liveThrough } from './lived.ts';
import { isBeyond } from './own-failures.ts';
import { service } from './policies/service.ts';
import { SHAPES } from './world.ts';

const SMALL = [24];

it.each(SHAPES)(
  '%s: one failure that others follow from brings few pages, none late, and hides no other',
  async (shape) => {
    const seed = SHAPES.indexOf(shape);
    const { outcomes } = await liveThrough([service], seed, 'own failures', 'true', SMALL);
    const [ours, none] = ['ours, real code', 'none, real code'].map((name) => outcomes.get(name)!);
    expect(none!.pages).toBeGreaterThan(0);
    expect(ours!.first! - ours!.first_without!).toBeLessThanOrEqual(10);
    expect(ours!.own.filter(isBeyond)).toEqual([]);
    expect(ours!.pages).toBeLessThanOrEqual(Math.min(5, none!.pages));
  },
);

it('the same seed lives through the same', async () => {
  const live = () => liveThrough([service], 0, 'root', 'imperfect', SMALL);
  expect(await live()).toEqual(await live());
});
