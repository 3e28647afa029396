import { expect, it } from 'vitest';
import { idleDollars } from '#infra/aws/fixed-costs.ts';
import { fixedOf } from './bill.ts';
import { idlePaths, MAX_IDLE_DOLLARS } from './reports.ts';

it('prices an idle stack within 5 % of the computed price, and at most at the target', async () => {
  const counted = [...(await idlePaths(5)).values()].reduce((all, one) => all + one, 0);
  const computed = idleDollars(fixedOf());
  expect(Math.abs(counted / computed - 1)).toBeLessThan(0.05);
  expect(Math.max(counted, computed)).toBeLessThanOrEqual(MAX_IDLE_DOLLARS);
});
