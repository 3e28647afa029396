import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { requireEntities } from '#lib/catalog/store.ts';
import type { TimeRange } from '#lib/history/results/gaps.ts';
import { type BucketList, listBuckets } from '#lib/history/rollups/buckets.ts';
import { checkHistoryRecords } from '#lib/history/rollups/history-routes.ts';
import { percentile } from '#lib/history/rollups/latency-histogram.ts';
import { entityHistories } from '#lib/history/rollups/read-history.ts';
import { type CheckRollup, decodeLatency, decodeRollup } from '#lib/history/rollups/rollup-item.ts';
import { readSparkline } from '#lib/history/rollups/sparkline.ts';
import type { LatenciesItem, RollupItem } from '#lib/history/rollups/stored-rollups.ts';
import { cellOf, numberOf } from '#lib/keys.ts';
import type { Table } from '#lib/platform/ports.ts';
import { DAY_MS, HOUR_MS } from '#lib/platform/time.ts';
import { startOfDay, startOfHour } from '#lib/schedule/slots.ts';
import { type Naive, naiveEntityTime, naiveFigures } from './naive-history.ts';
import { rollUpAll, runHistory, someHistory } from './some-history.ts';

describe('rollups of a random history', () => {
  it('equal the reference figures, however often and late they are made', async () => {
    await fc.assert(
      fc.asyncProperty(someHistory, async (history) => {
        const { world, entities, recorders, outages } = await runHistory(history);
        const { ports, keys, context } = world;
        const { check } = recorders[0]!;
        const end = ports.clock.now();
        // All slots of the history are over, and all revisions are due.
        world.advance(3 * HOUR_MS);
        await rollUpAll(world, check);
        const bounds = { reach: ports.settings.JOB_GROUP_MS + 5000, end: ports.clock.now() };

        const windows = (size: number, first: number): TimeRange[] => {
          const spans: TimeRange[] = [];
          for (let from = first; from + size <= end; from += size) spans.push({ from, to: from + size });
          return spans;
        };
        const begun = Date.parse(check.created_at);
        for (const [of, spans] of [
          ['hour', windows(HOUR_MS, startOfHour(begun - 30 * HOUR_MS))],
          ['day', windows(DAY_MS, startOfDay(begun - 30 * HOUR_MS))],
        ] as const) {
          for (const window of spans) {
            const at = [context.tenant, cellOf(check.id), of, window.from] as const;
            const [item, latencies] = await ports.table.getMany<[RollupItem, LatenciesItem]>([
              keys.rollup(...at),
              keys.latencies(...at),
            ]);
            for (const { reference, check } of recorders) {
              const rollup = item && decodeRollup(item.figures, numberOf(check.id), window);
              const rolled = rollup && { ...rollup, latency: decodeLatency(latencies!.latencies, numberOf(check.id)) };
              expectSame(rolled, naiveFigures(reference, outages, window, bounds), window);
            }
          }
        }
        for (const window of windows(DAY_MS, startOfDay(begun))) {
          for (const [i, { id }] of entities.entries()) {
            const item = await ports.table.get<RollupItem>(keys.entityDay(context.tenant, id, window.from));
            const rolled = decodeRollup(item!.figures, id, window)!;
            const own = recorders.filter((_, t) => t % 2 === i).map(({ reference }) => reference);
            const ms = naiveEntityTime(own, outages, window, bounds);
            expect(rolled.ms).toEqual(ms);
            expect(Object.values(rolled.ms).reduce((sum, one) => sum + one, 0)).toBe(DAY_MS);
            const sums = own.map((reference) => naiveFigures(reference, outages, window, bounds));
            const sum = (of: 'runs' | 'failures' | 'warnings') => sums.reduce((total, one) => total + one[of], 0);
            const { runs, failures, warnings } = rolled;
            expect([runs, failures, warnings]).toEqual([sum('runs'), sum('failures'), sum('warnings')]);
          }
        }
      }),
      { numRuns: 60 },
    );
  });

  it('give the same history and sparkline as raw data', async () => {
    const asked = fc.record({ hours: fc.integer({ min: 1, max: 60 }), points: fc.integer({ min: 1, max: 30 }) });
    await fc.assert(
      fc.asyncProperty(someHistory, asked, async (history, spark) => {
        const { world, entities, recorders } = await runHistory(history);
        const { ports, context } = world;
        await rollUpAll(world, recorders[0]!.check);
        const { table } = ports;
        const query: Table['query'] = async (of) => (/^[HD]#/.test(of.from ?? '') ? { items: [] } : table.query(of));
        const raw = { ...context, ports: { ...ports, table: { ...table, query } } };
        for (const { check } of recorders) {
          const now = await world.fresh(check);
          expect(await readSparkline(context, now, spark)).toEqual(await readSparkline(raw, now, spark));
          for (const bucket of ['hour', 'day'] as const) {
            const of = { bucket, from: ports.clock.now() - 2 * DAY_MS };
            const [rolledUp] = await checkHistoryRecords(context, [now], of);
            const [measured] = await checkHistoryRecords(raw, [now], of);
            expect(withoutStatus(rolledUp!)).toEqual(withoutStatus(measured!));
          }
        }
        const ids = entities.map(({ id }) => id);
        const items = await requireEntities(context, ids);
        for (const bucket of ['hour', 'day'] as const) {
          const now = ports.clock.now();
          const list = listBuckets({ bucket, from: now - 2 * DAY_MS }, { now, rollupDays: 400 }) as BucketList;
          const options = { latency: bucket === 'hour' };
          const rolledUp = await entityHistories(context, items, bucket, list, options);
          const measured = await entityHistories(raw, items, bucket, list, options);
          expect(rolledUp.map(withoutStatus)).toEqual(measured.map(withoutStatus));
        }
      }),
      { numRuns: 40 },
    );
  });
});

type WithStatus = { complete: boolean; revised_at: string | null; known_since: string | null };

/** Returns the figures of buckets without their status, such as `known_since`, which a rolled-up day only estimates. */
const withoutStatus = <Bucket extends WithStatus>({ total, buckets }: { total: Bucket; buckets: Bucket[] }) =>
  [total, ...buckets].map(({ complete: _, revised_at: __, known_since: ___, ...figures }) => figures);

function expectSame(rolled: CheckRollup | undefined, naive: Naive, { from, to }: TimeRange): void {
  const { latencies, ms, hidden, ...counts } = naive;
  if (!rolled) {
    expect({ ms, runs: counts.runs }).toMatchObject({ ms: { not_monitored: to - from }, runs: 0 });
    return;
  }
  const { runs, failures, warnings, gaps, latency } = rolled;
  expect({ runs, failures, warnings, gaps, ms: rolled.ms }).toEqual({ ...counts, ms });
  expect(rolled.down_in_maintenance_ms).toBe(hidden);
  expect(Object.values(rolled.ms).reduce((sum, one) => sum + one, 0)).toBe(to - from);
  expect(latency.count).toBe(latencies.length);
  expect(latency.sum).toBe(latencies.reduce((sum, one) => sum + one, 0));
  if (latencies.length === 0) return;
  const sorted = latencies.toSorted((a, b) => a - b);
  expect([latency.min, latency.max]).toEqual([sorted[0], sorted.at(-1)]);
  for (const percent of [50, 95, 99]) {
    const exact = sorted[Math.ceil((percent * sorted.length) / 100) - 1]!;
    expect(Math.abs(percentile(latency, percent) - exact)).toBeLessThanOrEqual(exact < 27 ? 0 : exact * 0.022 + 0.5);
  }
}
