import { beforeEach, describe, expect, it } from 'vitest';
import { updateCheck } from '#lib/checks/change/change-check.ts';
import type { CheckItem } from '#lib/checks/check-item.ts';
import { checkDetail } from '#lib/history/status/check-detail.ts';
import { staleChecks } from '#lib/history/status/newest-results.ts';
import { readHealth } from '#lib/history/status/service-health.ts';
import { cellOf, checkIdOf } from '#lib/keys.ts';
import { toBase32 } from '#lib/platform/ids.ts';
import { iso } from '#lib/platform/time.ts';
import { PACK_MS } from '#lib/results/pack.ts';
import { recordOutage } from '#lib/schedule/outages.ts';
import { latestSlot } from '#lib/schedule/slots.ts';
import { type HealthWorld, healthWorld, intervalScheduleOfCheck } from '#test/support/health-world.ts';

const SECOND = 1000;
const MINUTE = 60_000;
let world: HealthWorld;
beforeEach(async () => {
  world = await healthWorld();
});

const now = () => world.ports.clock.now();
const NOTHING_UNSENT = { oldest_unsent_at: null, last_failure_at: null };
const isStale = async (check: CheckItem) => (await checkDetail(world.context, await world.fresh(check))).stale;
const toSlot = (check: CheckItem, ahead = 1) => {
  const rhythm = intervalScheduleOfCheck(check);
  const slot = latestSlot(rhythm, now()) + ahead * rhythm.interval_ms;
  world.advance(slot - now());
  return slot;
};

describe('the last result', () => {
  it('is the one that decides the state, also after a push from the future', async () => {
    const check = await world.pushCheck({ interval_seconds: 60, failure_threshold: 1 });
    const last = async () => (await checkDetail(world.context, await world.fresh(check))).last_result;
    await world.push(check, true, now() + 50 * SECOND);
    expect(await last()).toMatchObject({ success: true });
    world.advance(SECOND);
    await world.push(check, false);
    expect(await world.fresh(check)).toMatchObject({ state: 'down' });
    expect(await last()).toMatchObject({ success: false });
    world.advance(MINUTE);
    expect(await last()).toMatchObject({ success: false });
  });

  it('is the push that arrived last if several have the same time', async () => {
    const check = await world.pushCheck({ interval_seconds: 60 });
    const at = now();
    for (const latency_ms of [1, 2, 3, 4, 5]) {
      world.advance(SECOND);
      await world.push(check, true, at, latency_ms);
      expect((await checkDetail(world.context, await world.fresh(check))).last_result).toMatchObject({ latency_ms });
    }
  });
});

describe('an overdue result of a probed check', () => {
  it('is reported when a slot has no result within the timeout and pack wait after its successor', async () => {
    const check = await world.check({ interval_seconds: 60, timeout_ms: 5000 });
    expect(await isStale(check)).toBe(false);
    await world.probe(check, toSlot(check));
    world.advance(2 * MINUTE + PACK_MS + 4_999);
    expect(await isStale(check)).toBe(false);
    world.advance(1);
    expect(await isStale(check)).toBe(true);
    await world.probe(check, latestSlot(intervalScheduleOfCheck(check), now()));
    expect(await isStale(check)).toBe(false);
  });

  it('is reported for a check that never had a result', async () => {
    const check = await world.check({ interval_seconds: 60, timeout_ms: 5000 });
    toSlot(check, 2);
    world.advance(5 * SECOND + PACK_MS);
    expect(await isStale(check)).toBe(true);
  });

  it('is not reported while the check is disabled, nor just after it was enabled', async () => {
    const check = await world.check();
    const disabled = await updateCheck(world.context, check, { enabled: false });
    world.advance(60 * MINUTE);
    expect(await isStale(check)).toBe(false);
    await updateCheck(world.context, disabled, { enabled: true });
    expect(await isStale(check)).toBe(false);
  });
});

describe('an overdue result of a push check', () => {
  it('is reported when the grace time after the last push is over', async () => {
    const check = await world.pushCheck({ interval_seconds: 60, config: { grace_seconds: 90 } });
    world.advance(60 * MINUTE);
    expect(await isStale(check)).toBe(false);
    await world.push(check);
    world.advance(90 * SECOND);
    expect(await isStale(check)).toBe(false);
    world.advance(1);
    expect(await isStale(check)).toBe(true);
    await world.push(check);
    expect(await isStale(check)).toBe(false);
  });
});

it.each([
  { settings: { interval_seconds: 60, failure_threshold: 1 }, seconds: 120 },
  { settings: { interval_seconds: 60, failure_threshold: 3 }, seconds: 240 },
  { settings: { interval_seconds: 300, failure_threshold: 2, config: { grace_seconds: 30 } }, seconds: 330 },
])(
  'returns alerts_after_seconds $seconds for a push check with $settings, and none for a probed check',
  async ({ settings, seconds }) => {
    const check = await world.pushCheck(settings);
    expect((await checkDetail(world.context, check)).alerts_after_seconds).toBe(seconds);
    expect(await checkDetail(world.context, await world.check())).not.toHaveProperty('alerts_after_seconds');
  },
);

describe('staleChecks', () => {
  const stale = async () => (await staleChecks(world.context))('chk_any');

  it('reports checks as stale before the schedule has ever run, and when it is behind', async () => {
    expect(await stale()).toBe(true);
    await world.watermark(2 * MINUTE);
    expect(await stale()).toBe(false);
    world.advance(2 * MINUTE - 1);
    expect(await stale()).toBe(false);
    world.advance(1);
    expect(await stale()).toBe(true);
  });

  it('reports checks as stale for half a minute after a service outage', async () => {
    await world.watermark(4 * MINUTE);
    await recordOutage(world, { from: now() - MINUTE, to: now() });
    expect(await stale()).toBe(true);
    world.advance(30 * SECOND);
    expect(await stale()).toBe(false);
  });

  it('depends only on the shard that contains the cell of a check', async () => {
    await world.watermark(4 * MINUTE);
    const ids = [1, 2, 3, 4, 5, 6].map((n) => checkIdOf(now(), toBase32(n, 12), 0));
    const behind = world.keys.shardOf(ids[0]!);
    await world.ports.table.putMany([{ ...world.keys.watermark(behind), v: 'w', at: now() } as never]);
    const isBehind = await staleChecks(world.context);
    const other = ids.find((id) => world.keys.shardOf(id) !== behind)!;
    const sameCell = checkIdOf(now() + 1, cellOf(ids[0]!), 49);
    expect([ids[0]!, sameCell, other].map(isBehind)).toEqual([true, true, false]);
  });
});

describe('a schedule that is implausibly far ahead', () => {
  const state = async () => {
    const { ok, schedule } = await readHealth(world.context);
    return [ok, schedule.ok, (await staleChecks(world.context))('chk_any')];
  };

  it('is not healthy, because nothing is executed', async () => {
    await world.watermark(5 * MINUTE);
    expect(await state()).toEqual([true, true, false]);
    await world.watermark(5 * MINUTE + 1);
    expect(await state()).toEqual([false, false, true]);
  });

  it('does not extend an outage into the future', async () => {
    await world.watermark(MINUTE);
    await recordOutage(world, { from: now() - 2 * MINUTE, to: now() + 60 * MINUTE });
    await recordOutage(world, { from: now() + 30 * MINUTE, to: now() + 60 * MINUTE });
    expect(await state()).toEqual([true, true, false]);
  });
});

describe('the health of the service', () => {
  it('is not ok before the first tick', async () => {
    expect(await readHealth(world.context)).toMatchObject({
      ok: false,
      schedule: { ok: false, emitted_until: null, lag_seconds: null },
      deliveries: NOTHING_UNSENT,
    });
  });

  it('is that of the shard that is furthest behind', async () => {
    await world.watermark(2 * MINUTE);
    const until = now() + 2 * MINUTE;
    expect(await readHealth(world.context)).toMatchObject({
      ok: true,
      schedule: { ok: true, emitted_until: iso(until), lag_seconds: 0 },
      deliveries: NOTHING_UNSENT,
    });
    const last = now() + MINUTE;
    await world.ports.table.putMany([{ ...world.keys.watermark(1), v: 'w', at: last } as never]);
    world.advance(MINUTE + 2500);
    expect(await readHealth(world.context)).toMatchObject({
      ok: false,
      schedule: { ok: false, emitted_until: iso(last), lag_seconds: 2.5 },
      deliveries: NOTHING_UNSENT,
    });
  });
});
