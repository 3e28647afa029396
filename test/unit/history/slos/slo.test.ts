import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { addWindow } from '#lib/alerting/configure/windows.ts';
import { updateCheck } from '#lib/checks/change/change-check.ts';
import type { CheckItem } from '#lib/checks/check-item.ts';
import { type BucketList, listBuckets } from '#lib/history/rollups/buckets.ts';
import { zeroTime } from '#lib/history/rollups/classify-time.ts';
import { checkHistories } from '#lib/history/rollups/read-history.ts';
import { createSlo } from '#lib/history/slos/change-slo.ts';
import { measureSlo } from '#lib/history/slos/measure-slo.ts';
import { rangeOf, statusOf } from '#lib/history/slos/slo.ts';
import { DAY_MS, HOUR_MS } from '#lib/platform/time.ts';
import { healthWorld } from '#test/support/health-world.ts';
import { rollUpAll } from '#test/unit/history/rollups/some-history.ts';

const at = (text: string) => Date.parse(text);
const SECOND = 1000;

/**
 * Returns the status with these seconds of each kind in the window and the last 3 days, and none in the last 6 hours.
 */
function statusWith(seconds: Partial<ReturnType<typeof zeroTime>['ms']>, { window = '30d', target = 0.999 } = {}) {
  const range = rangeOf(window as '30d', at('2026-11-03T00:00:00Z'));
  const { ms } = zeroTime();
  for (const [kind, value] of Object.entries(seconds)) ms[kind as 'up'] = value * SECOND;
  const last = { '1h': zeroTime().ms, '6h': zeroTime().ms, '3d': ms };
  return statusOf({ target, degraded_is_down: false }, { range, known_since: null, whole: ms, last });
}

describe('the error budget of an SLO', () => {
  it('is 2,592 s for 99.9 % of 30 days, of which an outage of 540 s leaves 79.1666 %', () => {
    expect(statusWith({ up: 30 * 86_400 - 540, down: 540 })).toMatchObject({
      sli: 0.999791,
      coverage: 1,
      budget_seconds: 2592,
      consumed_seconds: 540,
      remaining_seconds: 2052,
      remaining_ratio: 0.791666,
      state: 'healthy',
    });
  });

  it('is that of the whole month when the month has just begun', () => {
    expect(statusWith({ up: 2 * 86_400 - 60, down: 60 }, { window: 'month' })).toMatchObject({
      from: '2026-11-01T00:00:00.000Z',
      to: '2026-11-03T00:00:00.000Z',
      budget_seconds: 2592,
      remaining_seconds: 2532,
      burn_rate: { '1h': null, '3d': 0.347222 },
    });
  });

  it('is negative after too much downtime, and rounded down', () => {
    const status = statusWith({ up: 86_400, down: 3000 });
    expect(status).toMatchObject({ remaining_seconds: -408, remaining_ratio: -0.157408, state: 'exhausted' });
  });

  it('is at risk with a fifth or less left, and exhausted with nothing left', () => {
    expect(statusWith({ up: 1, down: 2073 }).state).toBe('healthy');
    expect(statusWith({ up: 1, down: 2074 }).state).toBe('at_risk');
    expect(statusWith({ up: 1, down: 2591 }).state).toBe('at_risk');
    expect(statusWith({ up: 1, down: 2592 }).state).toBe('exhausted');
  });

  it('is not known without monitored time', () => {
    expect(statusWith({ not_monitored: 86_400, maintenance: 60 })).toMatchObject({
      ...{ sli: null, coverage: null, remaining_ratio: null, state: 'no_data' },
      burn_rate: { '1h': null, '6h': null, '3d': null },
    });
    expect(statusWith({ unknown: 60, gap: 60 })).toMatchObject({ sli: null, coverage: 0, state: 'no_data' });
  });
});

describe('the outage in docs/use/slos.md#example-of-an-outage', () => {
  it('uses the documented part of the budget', async () => {
    const world = await healthWorld();
    const { ports, context } = world;
    const until = (text: string) => world.advance(at(text) - ports.clock.now());
    await world.watermark(1000 * DAY_MS);
    const day = new Date(Math.ceil(ports.clock.now() / DAY_MS + 31) * DAY_MS).toISOString().slice(0, 11);
    const created = new Date(at(`${day}10:00:00Z`) - 30 * DAY_MS - SECOND).toISOString();
    until(created);
    const check = await world.pushCheck({ failure_threshold: 2, interval_seconds: 86_400 });
    await world.push(check);
    const slo = await createSlo(context, { slug: 'shop', name: 'Shop', check_id: check.id, target: 0.999 });
    for (const [time, success] of [
      ['09:00:10', true],
      ['09:01:10', false],
      ['09:02:10', false],
      ['09:10:10', true],
    ] as const) {
      until(`${day}${time}Z`);
      await world.push(check, success);
    }
    until(`${day}10:00:00Z`);
    expect((await measureSlo(context, slo)).status).toMatchObject({
      ...{ budget_seconds: 2592, consumed_seconds: 540, remaining_seconds: 2052, remaining_ratio: 0.791666 },
      ...{ sli: 0.999791, coverage: 1, burn_rate: { '1h': 150, '6h': 25, '3d': 2.083333 }, state: 'healthy' },
    });
    await addWindow(context, {
      ...{ name: 'work', scope: { all: true }, starts_at: at(`${day}09:00:00Z`), ends_at: at(`${day}09:05:00Z`) },
    });
    expect((await measureSlo(context, slo)).status.consumed_seconds).toBe(310);
    const list = listBuckets({ bucket: 'day' }, { now: ports.clock.now(), rollupDays: 400 }) as BucketList;
    const [history] = await checkHistories(context, [await world.fresh(check)], 'day', list);
    expect(history!.total).toMatchObject({
      ...{ down_in_maintenance_seconds: 230, seconds: { maintenance: 300, down: 310 } },
    });
  });
});

const step = fc.record({
  seconds: fc.integer({ min: 1, max: 14 * 3600 }),
  check: fc.nat({ max: 1 }),
  does: fc.constantFrom('ok', 'ok', 'fail', 'fail', 'maintenance', 'toggle', 'roll up'),
  length: fc.integer({ min: 60, max: 40 * 3600 }),
});
const story = fc.record({
  thresholds: fc.record({
    failure_threshold: fc.integer({ min: 1, max: 2 }),
    recovery_threshold: fc.integer({ min: 1, max: 2 }),
  }),
  steps: fc.array(step, { minLength: 8, maxLength: 30 }),
});

/** Reference data of a check, in epoch seconds. */
type Known = {
  states: { from: number; state: string }[];
  enabled: { from: number; value: boolean }[];
  maintenance: { from: number; to: number }[];
  failures: number[];
  successes: number[];
};

describe('an SLO of a random history', () => {
  it('has the budget of an oracle that walks its window second by second', async () => {
    await fc.assert(
      fc.asyncProperty(story, async ({ thresholds, steps }) => {
        const world = await healthWorld();
        const { ports, context } = world;
        const now = () => ports.clock.now();
        await world.watermark(1000 * DAY_MS);
        world.advance(SECOND - (now() % SECOND));
        const entity = await world.entity();
        const more = { ...thresholds, interval_seconds: 86_400, entity_id: entity.id };
        const checks = [await world.pushCheck(more), await world.pushCheck(more)];
        const known = checks.map(
          (): Known => ({
            states: [],
            enabled: [{ from: now() / SECOND, value: true }],
            maintenance: [],
            failures: [],
            successes: [],
          }),
        );
        for (const { seconds, check: i, does, length } of steps) {
          world.advance(seconds * SECOND);
          const [check, own] = [await world.fresh(checks[i]!), known[i]!];
          if (does === 'roll up') await rollUpNow(world, check);
          else if (does === 'maintenance') {
            const from = now() - Math.floor(length / 2) * SECOND;
            const times = { starts_at: from, ends_at: from + length * SECOND };
            await addWindow(context, { name: 'work', scope: { check_ids: [check.id] }, ...times });
            own.maintenance.push({ from: from / SECOND, to: from / SECOND + length });
          } else if (does === 'toggle') {
            await updateCheck(context, check, { enabled: !check.enabled });
            own.enabled.push({ from: now() / SECOND, value: !check.enabled });
            if (check.enabled) own.states.push({ from: now() / SECOND, state: 'unknown' });
            own.failures = [];
            own.successes = [];
          } else if (check.enabled) {
            await world.push(check, does !== 'fail');
            apply(own, thresholds, does !== 'fail', now() / SECOND);
          }
        }
        await rollUpAll(world, checks[0]!);
        world.advance(SECOND - (now() % SECOND));

        for (const [slug, degraded_is_down] of [
          ['lenient', false],
          ['strict', true],
        ] as const) {
          const common = { name: 'Shop', target: 0.99, window: '7d' as const, degraded_is_down };
          const ofCheck = await createSlo(context, { slug: `${slug}-check`, check_id: checks[0]!.id, ...common });
          const ofEntity = await createSlo(context, { slug: `${slug}-entity`, entity_id: entity.id, ...common });
          for (const [slo, kindAt] of [
            [ofCheck, (second: number) => kindOf(known[0]!, second)],
            [ofEntity, (second: number) => kindOfEntity(known.map((one) => kindOf(one, second)))],
          ] as const) {
            const { status } = await measureSlo(context, slo);
            const walked = walk(kindAt, at(status.from) / SECOND, at(status.to) / SECOND, degraded_is_down);
            expect(status.consumed_seconds).toBe(walked.bad);
            expect(status.budget_seconds).toBe(6048);
            expect(status.sli).toBe(floored(walked.good, walked.good + walked.bad));
            const day3 = walk(kindAt, Math.ceil(now() / HOUR_MS) * 3600 - 72 * 3600, now() / SECOND, degraded_is_down);
            const hour = walk(kindAt, now() / SECOND - 3600, now() / SECOND, degraded_is_down);
            expect(status.burn_rate['3d']).toBe(floored(day3.bad * 100, day3.good + day3.bad));
            expect(status.burn_rate['1h']).toBe(floored(hour.bad * 100, hour.good + hour.bad));
          }
        }
      }),
      { numRuns: 4, endOnFailure: true },
    );
  }, 60_000);
});

/** Returns a ratio rounded down to six decimals; null without data. */
const floored = (part: number, whole: number) => (whole === 0 ? null : Math.floor((part * 1_000_000) / whole) / 1e6);

async function rollUpNow(world: Awaited<ReturnType<typeof healthWorld>>, check: CheckItem): Promise<void> {
  world.advance(2 * HOUR_MS);
  await rollUpAll(world, check);
  world.advance(SECOND - (world.ports.clock.now() % SECOND));
}

/** Applies a result: a state counts from the first of the consecutive results that led to it. */
function apply(own: Known, limits: { failure_threshold: number; recovery_threshold: number }, ok: boolean, at: number) {
  if (ok) own.failures = [];
  else own.successes = [];
  (ok ? own.successes : own.failures).push(at);
  const state = own.states.at(-1)?.state ?? 'unknown';
  if (!ok && state !== 'down' && own.failures.length >= limits.failure_threshold)
    own.states.push({ from: own.failures.at(-limits.failure_threshold)!, state: 'down' });
  if (ok && state === 'unknown') own.states.push({ from: at, state: 'up' });
  if (ok && state === 'down' && own.successes.length >= limits.recovery_threshold)
    own.states.push({ from: own.successes.at(-limits.recovery_threshold)!, state: 'up' });
}

type Kind = { as: string; hidden: boolean };

function kindOf({ states, enabled, maintenance }: Known, second: number): Kind {
  if (!enabled.findLast(({ from }) => from <= second)?.value) return { as: 'not_monitored', hidden: false };
  const hidden = maintenance.some(({ from, to }) => from <= second && second < to);
  return { as: states.findLast(({ from }) => from <= second)?.state ?? 'unknown', hidden };
}

/** Returns the state of an entity from its monitored checks that are not in maintenance. */
function kindOfEntity(kinds: Kind[]): Kind {
  const monitored = kinds.filter(({ as }) => as !== 'not_monitored');
  const counted = monitored.filter(({ hidden }) => !hidden).map(({ as }) => as);
  if (monitored.length === 0) return { as: 'not_monitored', hidden: false };
  if (counted.length === 0) return { as: 'up', hidden: true };
  const states = counted.filter((as) => as !== 'unknown');
  if (states.length === 0) return { as: 'unknown', hidden: false };
  return { as: states.every((as) => as === states[0]) ? states[0]! : 'degraded', hidden: false };
}

/** Sums the good and the bad seconds of a range. */
function walk(kindAt: (second: number) => Kind, from: number, to: number, degradedIsDown: boolean) {
  const sum = { good: 0, bad: 0 };
  for (let second = from; second < to; second++) {
    const { as, hidden } = kindAt(second);
    if (hidden || as === 'unknown' || as === 'not_monitored') continue;
    sum[as === 'down' || (as === 'degraded' && degradedIsDown) ? 'bad' : 'good'] += 1;
  }
  return sum;
}
