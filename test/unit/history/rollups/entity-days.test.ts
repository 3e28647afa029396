import { beforeEach, describe, expect, it } from 'vitest';
import { deleteCheck } from '#lib/checks/change/change-check.ts';
import { listBuckets } from '#lib/history/rollups/buckets.ts';
import { entityHistories } from '#lib/history/rollups/read-history.ts';
import { cellOf } from '#lib/keys.ts';
import { DAY_MS } from '#lib/platform/time.ts';
import { startOfDay, startOfHour } from '#lib/schedule/slots.ts';
import { type RollupWorld, rollupWorld } from './rollup-world.ts';

const MINUTE = 60_000;
let w: RollupWorld;
beforeEach(async () => {
  w = await rollupWorld();
});

describe('the day of an entity', () => {
  /** Creates an entity with a check in each of two cells. */
  async function spread() {
    const entity = await w.entity();
    const first = await w.pushCheck({ entity_id: entity.id, failure_threshold: 1 });
    for (let i = 0; i < 49; i++) await w.pushCheck();
    const second = await w.pushCheck({ entity_id: entity.id, failure_threshold: 1 });
    expect(cellOf(second.id)).not.toBe(cellOf(first.id));
    return { id: entity.id, first, second };
  }
  const entityItem = async (id: string) =>
    (
      await w.ports.table.query<never>({
        partition: w.keys.entities(w.context.tenant, w.keys.bucketOf(id)),
      })
    ).items.find(({ sk }) => sk === id)!;
  const entityDays = async (id: string) => {
    const list = listBuckets({ bucket: 'day', from: w.now() - 3 * DAY_MS }, { now: w.now(), rollupDays: 400 });
    if ('wrong' in list) throw new Error(list.wrong.message);
    return (await entityHistories(w.context, [await entityItem(id)], 'day', list))[0]!;
  };

  it('includes its checks in all cells, also late results of the second cell', async () => {
    const { id, first, second } = await spread();
    const hour = startOfHour(w.now());
    await w.push(first);
    await w.push(second, false);
    w.until(startOfDay(hour) + DAY_MS + 6 * MINUTE);
    const raw = (await entityDays(id)).buckets.at(-2)!;
    for (const check of [first, second]) {
      await w.rollUpDue(check);
      await w.work(MINUTE);
    }
    const day = (await entityDays(id)).buckets.at(-2)!;
    expect(day).toEqual({ ...raw, complete: true });
    expect(day).toMatchObject({ runs: 2, failures: 1 });
    expect(day.seconds.degraded).toBeGreaterThan(3600);

    await w.push(second, true, hour + MINUTE);
    await w.work(5 * MINUTE);
    expect((await entityDays(id)).buckets.at(-2)).toMatchObject({ runs: 3, revised_at: expect.any(String) });
  });

  it('stays unchanged when it is rolled up again after a check was deleted', async () => {
    const { id, first, second } = await spread();
    const hour = startOfHour(w.now());
    await w.push(first, false);
    await w.push(second);
    w.until(startOfDay(hour) + DAY_MS + 6 * MINUTE);
    for (const check of [first, second]) {
      await w.rollUpDue(check);
      await w.work(MINUTE);
    }
    const day = (await entityDays(id)).buckets.at(-2)!;
    expect(day).toMatchObject({ runs: 2, failures: 1 });
    await deleteCheck(w.context, await w.fresh(first));
    const again = await w.pushCheck({ entity_id: id });
    await w.push(second, true, hour + MINUTE);
    await w.work(5 * MINUTE);
    expect((await entityDays(id)).buckets.at(-2)).toEqual(day);
    expect((await w.daily(again)).buckets.at(-2)?.runs).toBe(0);
  });
});
