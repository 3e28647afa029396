import { beforeEach, describe, expect, it } from 'vitest';
import { requireEntities } from '#lib/catalog/store.ts';
import type { CheckItem } from '#lib/checks/check-item.ts';
import { type BucketList, listBuckets } from '#lib/history/rollups/buckets.ts';
import { checkHistories, entityHistories } from '#lib/history/rollups/read-history.ts';
import { rollUp } from '#lib/history/rollups/roll-up.ts';
import { cellOf, RESULTS, under } from '#lib/keys.ts';
import type { Freshness, Key, Table } from '#lib/platform/ports.ts';
import { HOUR_MS } from '#lib/platform/time.ts';
import type { ResultItem } from '#lib/results/result.ts';
import { startOfHour } from '#lib/schedule/slots.ts';
import { type RollupWorld, rollupWorld } from './rollup-world.ts';

const MINUTE = 60_000;
let w: RollupWorld;
beforeEach(async () => {
  w = await rollupWorld();
});

/** Creates a check with a push in an hour that is rolled up. */
async function rolledUp() {
  const check = await w.pushCheck();
  const hour = startOfHour(w.now());
  await w.push(check);
  w.until(hour + HOUR_MS + 6 * MINUTE);
  await w.rollUpDue(check);
  const list = listBuckets({ bucket: 'hour', from: hour, to: hour + HOUR_MS }, { now: w.now(), rollupDays: 400 });
  return { check, hour, list: list as BucketList };
}

const hourOfCheck = async (check: CheckItem, list: BucketList) =>
  (await checkHistories(w.context, [check], 'hour', list))[0]!.buckets[0]!;
const hourOfEntity = async ({ entity_id }: CheckItem, list: BucketList) =>
  (await entityHistories(w.context, await requireEntities(w.context, [entity_id]), 'hour', list))[0]!.buckets[0]!;

describe('a rolled-up hour', () => {
  it('is read from raw data while its latencies are not visible yet', async () => {
    const { check, hour, list } = await rolledUp();
    const whole = await hourOfCheck(check, list);
    expect(whole).toMatchObject({ complete: true, runs: 1, latency: { count: 1 } });
    const { query } = w.ports.table;
    const latencies = w.keys.latencies(w.context.tenant, cellOf(check.id), 'hour', hour);
    w.ports.table.query = (of) => (of.from === latencies.sk ? Promise.resolve({ items: [] }) : query(of));
    expect(await hourOfCheck(check, list)).toEqual({ ...whole, complete: false });
  });

  it('is read for an entity without reading its checks or their latencies', async () => {
    const { check, list } = await rolledUp();
    const read: string[] = [];
    const { get, getMany, query } = w.ports.table;
    w.ports.table.get = (key) => {
      read.push(key.sk);
      return get(key);
    };
    w.ports.table.getMany = ((keys: Key[], how?: Freshness) => {
      read.push(...keys.map(({ sk }) => sk));
      return getMany(keys, how);
    }) as Table['getMany'];
    w.ports.table.query = (of) => {
      read.push(of.from!);
      return query(of);
    };
    expect(await hourOfEntity(check, list)).toMatchObject({ complete: true, runs: 1 });
    expect(read).toEqual([check.entity_id, expect.stringMatching(/^H#/)]);
  });

  it('is marked as revised when only a latency changes', async () => {
    const { check, hour, list } = await rolledUp();
    const partition = w.keys.ofCheck(w.context.tenant, check.id);
    const { items } = await w.ports.table.query<ResultItem>({ partition, ...under(RESULTS) });
    const slower: ResultItem = { ...items[0]!, latency_ms: 4711 };
    await w.ports.table.putMany([slower]);
    const revise = { of: 'hour', from: hour, to: hour, after: w.now() + 1 } as const;
    await rollUp(w, { tenant_id: check.tenant_id, cell: cellOf(check.id), revise });
    expect(await hourOfCheck(check, list)).toMatchObject({ revised_at: expect.any(String), latency: { max_ms: 4711 } });
    // A repeat changes nothing.
    const before = await hourOfCheck(check, list);
    w.advance(MINUTE);
    await rollUp(w, { tenant_id: check.tenant_id, cell: cellOf(check.id), revise: { ...revise, after: w.now() } });
    expect(await hourOfCheck(check, list)).toEqual(before);
  });
});

describe('an entity that was just created', () => {
  it('is found although an eventually consistent read misses it', async () => {
    const { id } = await w.entity();
    const { getMany } = w.ports.table;
    w.ports.table.getMany = (async (keys: Key[], how?: Freshness) =>
      how?.eventual ? keys.map(() => undefined) : getMany(keys, how)) as Table['getMany'];
    expect(await requireEntities(w.context, [id], { eventual: true })).toMatchObject([{ id }]);
    await expect(requireEntities(w.context, ['ent_none'], { eventual: true })).rejects.toThrow('ent_none');
  });
});
