import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { updateCheck } from '#lib/checks/change/change-check.ts';
import type { CheckItem } from '#lib/checks/check-item.ts';
import { readSparkline } from '#lib/history/rollups/sparkline.ts';
import { checkIdOf } from '#lib/keys.ts';
import { iso } from '#lib/platform/time.ts';
import type { ResultItem } from '#lib/results/result.ts';
import { recordOutage } from '#lib/schedule/outages.ts';
import { latestSlot } from '#lib/schedule/slots.ts';
import { type HealthWorld, healthWorld, intervalScheduleOfCheck } from '#test/support/health-world.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
let world: HealthWorld;
beforeEach(async () => {
  world = await healthWorld();
  await world.watermark(24 * HOUR);
});

const now = () => world.ports.clock.now();
const draw = (check: CheckItem, hours = 1, points = 4) => readSparkline(world.context, check, { hours, points });
const probeNext = async (check: CheckItem, error = '') => {
  const rhythm = intervalScheduleOfCheck(check);
  const slot = latestSlot(rhythm, now()) + rhythm.interval_ms;
  world.advance(slot - now());
  await world.probe(check, slot, error);
};

describe('a sparkline', () => {
  it('has no uptime for a check without results', async () => {
    const check = await world.check();
    const start = now() - HOUR;
    expect(await draw(check)).toEqual({
      check_id: check.id,
      uptime_ratio: null,
      gap_seconds: 0,
      points: [0, 15, 30, 45].map((minute) => ({
        at: iso(start + minute * MINUTE),
        avg_latency_ms: null,
        successes: 0,
        failures: 0,
      })),
    });
  });

  it('counts successes and failures by time, and averages the latency of successes only', async () => {
    const check = await world.check({ interval_seconds: 300 });
    for (let i = 0; i < 12; i++) await probeNext(check, i === 4 ? 'status 503' : '');
    world.advance(MINUTE);
    const { uptime_ratio, gap_seconds, points } = await draw(check);
    expect(uptime_ratio).toBeCloseTo(11 / 12, 10);
    expect(gap_seconds).toBe(0);
    expect(points.map(({ successes, failures }) => [successes, failures])).toEqual([
      [3, 0],
      [2, 1],
      [3, 0],
      [3, 0],
    ]);
    expect(points.map(({ avg_latency_ms }) => avg_latency_ms)).toEqual([40, 40, 40, 40]);
  });

  it('leaves missed slots out of the uptime, and counts them as gap', async () => {
    const check = await world.check({ interval_seconds: 60 });
    await probeNext(check);
    await probeNext(check, 'status 503');
    world.advance(10 * MINUTE);
    await probeNext(check);
    await probeNext(check);
    expect(await draw(check)).toMatchObject({ uptime_ratio: 0.75, gap_seconds: 600 });
  });

  it('weights each result by the interval at its time', async () => {
    const check = await world.check({ interval_seconds: 60 });
    for (let i = 0; i < 10; i++) await probeNext(check, 'status 503');
    world.advance(1000);
    const slower = await updateCheck(world.context, await world.fresh(check), { interval_seconds: 600 });
    await probeNext(slower);
    expect((await draw(slower)).uptime_ratio).toBe(0.5);
  });

  it('counts service outages as gaps of a push check', async () => {
    const check = await world.pushCheck();
    await world.push(check);
    world.advance(20 * MINUTE);
    await recordOutage(world, { from: now() - 5 * MINUTE, to: now() });
    await world.push(check, false);
    expect(await draw(check)).toMatchObject({ uptime_ratio: 0.5, gap_seconds: 300 });
  });

  it('puts every result of its hours into exactly one point', async () => {
    const { keys, context, ports } = world;
    let count = 0;
    const someCheck = await world.pushCheck();
    const offsets = fc.array(fc.integer({ min: 0, max: 2 * HOUR }), { maxLength: 40 });
    await fc.assert(
      fc.asyncProperty(
        offsets,
        fc.integer({ min: 1, max: 500 }),
        fc.integer({ min: 1, max: 2 }),
        async (ago, points, hours) => {
          const check = { ...someCheck, id: checkIdOf(now(), 'sparklinecel', count++) };
          const items = ago.map((ms, i) => ({
            ...keys.result(context.tenant, check.id, now() - ms, String(i)),
            success: i % 3 > 0,
            latency_ms: 5,
          }));
          if (items.length > 0) await ports.table.putMany(items as Partial<ResultItem>[] as ResultItem[]);
          const drawn = await readSparkline(context, check, { hours, points });
          const inside = items.filter((_, i) => ago[i]! <= hours * HOUR);
          const sum = (of: 'successes' | 'failures') => drawn.points.reduce((total, point) => total + point[of], 0);
          expect(drawn.points).toHaveLength(points);
          expect(sum('successes')).toBe(inside.filter(({ success }) => success).length);
          expect(sum('failures')).toBe(inside.filter(({ success }) => !success).length);
          const ratio = inside.length === 0 ? null : sum('successes') / inside.length;
          expect(drawn.uptime_ratio === null ? null : drawn.uptime_ratio.toFixed(9)).toBe(ratio?.toFixed(9) ?? null);
        },
      ),
    );
  });
});
