import { expect, it } from 'vitest';
import { updateCheck } from '#lib/checks/change/change-check.ts';
import type { RevisionItem } from '#lib/checks/settings/revisions.ts';
import { findGaps } from '#lib/history/results/gaps.ts';
import { REVISIONS, under } from '#lib/keys.ts';
import { healthWorld } from '#test/support/health-world.ts';

const DAY = 86_400_000;

it('deletes a past revision when the history of its time has expired, and never the current one', async () => {
  const world = await healthWorld();
  const { ports, keys, store } = world;
  const begun = ports.clock.now();
  const check = await world.check({ interval_seconds: 3600 });
  for (const interval_seconds of [7200, 10_800]) {
    world.advance(10 * DAY);
    await updateCheck(world.context, await world.fresh(check), { interval_seconds });
  }
  const kept = async () => {
    await store.sweep(ports.clock.now() / 1000);
    const { items } = await ports.table.query<RevisionItem>({
      partition: keys.ofCheck(check.tenant_id, check.id),
      ...under(REVISIONS),
    });
    return items.map((item) => item.rev);
  };
  /** Counts the slots of the previous thirty days. All are gaps, because the check has no results. */
  const gapSlots = async () => {
    const until = ports.clock.now();
    const { gaps } = await findGaps(
      world.context,
      await world.fresh(check),
      { from: until - 30 * DAY, until },
      { gaps: 9 },
    );
    return gaps.reduce((sum, { slots }) => sum + slots, 0);
  };

  world.advance(19 * DAY);
  expect(ports.clock.now()).toBe(begun + 39 * DAY);
  const all = await gapSlots();
  expect(await kept()).toEqual([1, 2, 3]);
  expect(await gapSlots()).toBe(all);

  world.advance(61.1 * DAY);
  const before = await gapSlots();
  expect(await kept()).toEqual([2, 3]);
  expect(await gapSlots()).toBe(before);
  world.advance(1000 * DAY);
  expect(await kept()).toEqual([3]);
});
