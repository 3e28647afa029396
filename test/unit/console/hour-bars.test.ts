import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ApiFailure } from '#console/api/call.ts';
import { makeHourBars } from '#console/api/hour-bars.ts';
import type { State } from '#console/api/records.ts';
import { barHours, type CachedHours, cachedAfter, type Hour, nextDue, nextRequest } from '#console/rules/hour-bars.ts';
import { settled } from './world.ts';

const HOUR = 3_600_000;
const MINUTE = 60_000;
const START = Date.parse('2026-11-22T12:20:00.000Z');
const iso = (at: number): string => new Date(at).toISOString();

const NONE = { up: 0, degraded: 0, down: 0, unknown: 0, gap: 0, maintenance: 0, not_monitored: 0 };

/**
 * Returns the hours of a query as the API does at `now`, for an entity that is up.
 * @param rollupDelay time (ms) after the end of an hour until it is complete
 */
function respond(range: URLSearchParams, now: number, rollupDelay = 55 * MINUTE): Hour[] {
  const until = Math.min(Date.parse(range.get('to') ?? iso(now)), now);
  const from = Date.parse(range.get('from') ?? iso(until - 24 * HOUR));
  expect(from).toBeLessThan(until);
  const hours: Hour[] = [];
  for (let at = Math.floor(from / HOUR) * HOUR; at < until; at += HOUR) {
    const to = Math.min(at + HOUR, now);
    const complete = now >= at + HOUR + rollupDelay;
    hours.push({
      from: iso(at),
      to: iso(to),
      complete,
      seconds: { ...NONE, up: (to - at) / 1000 },
      mean_latency_ms: 20,
    });
  }
  return hours;
}

const LONG_AGO = '2026-01-01T00:00:00.000Z';

/** Creates a fake service that records requests; its clock is `off` ms ahead of the clock of the page. */
function barsWorld({ off = 0 } = {}) {
  let now = START;
  let timer: { at: number; run: () => void } | undefined;
  const requests: { at: number; ids: string[]; hours: string[] }[] = [];
  const since = new Map<string, string>();
  const world = {
    requests,
    fails: undefined as Error | undefined,
    bars: makeHourBars({
      now: () => now,
      after(ms, run) {
        const own = { at: now + ms, run };
        timer = own;
        return () => {
          if (timer === own) timer = undefined;
        };
      },
      rowOf: (id) => ({ state: 'up', state_since: since.get(id) ?? LONG_AGO }),
      async get<T>(path: string) {
        const { searchParams } = new URL(path, 'http://service');
        const ids = searchParams.get('entity_ids')!.split(',');
        const buckets = respond(searchParams, now + off);
        requests.push({ at: now - START, ids, hours: buckets.map(({ from }) => from.slice(11, 13)) });
        await Promise.resolve();
        if (world.fails) throw world.fails;
        return { entities: ids.map((entity_id) => ({ entity_id, buckets })) } as T;
      },
    }),
    /** Changes the states of entities now. */
    change(...ids: string[]) {
      for (const id of ids) since.set(id, iso(now + off));
      world.bars.changed();
    },
    /** Advances the clock and runs due timers. */
    async pass(ms: number) {
      const until = now + ms;
      while (timer && timer.at <= until) {
        const due = timer;
        now = Math.max(now, due.at);
        timer = undefined;
        due.run();
        await settled();
      }
      now = until;
    },
    see(...ids: string[]) {
      for (const id of ids) world.bars.setVisible(id, true);
    },
    leave(...ids: string[]) {
      for (const id of ids) world.bars.setVisible(id, false);
    },
  };
  return world;
}

const many = (count: number, from = 0) => Array.from({ length: count }, (_, i) => `ent_${from + i}`);

describe('hour bars', () => {
  it('sends one request for rows that become visible together', async () => {
    const world = barsWorld();
    world.see(...many(40));
    await world.pass(10_000);
    expect(world.requests).toHaveLength(1);
    expect(world.requests[0]!.ids).toEqual(many(40));
    expect(world.bars.of('ent_7').value?.hours).toHaveLength(24);
  });

  it('requests only visible rows', async () => {
    const world = barsWorld();
    world.see(...many(40));
    world.leave(...many(39));
    await world.pass(10_000);
    expect(world.requests.map(({ ids }) => ids)).toEqual([['ent_39']]);
  });

  it('sends at most one request per second, for up to 50 rows', async () => {
    const world = barsWorld();
    for (let i = 0; i < 40; i++) {
      world.leave(...many(20, (i - 1) * 20));
      world.see(...many(20, i * 20));
      await world.pass(100);
    }
    await world.pass(10_000);
    world.see(...many(120, 5000));
    await world.pass(10_000);
    const gaps = world.requests.slice(1).map(({ at }, i) => at - world.requests[i]!.at);
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(1000);
    expect(Math.max(...world.requests.map(({ ids }) => ids.length))).toBeLessThanOrEqual(50);
    for (const id of many(120, 5000)) expect(world.bars.of(id).value).toBeDefined();
  });

  it('uses the cache when a row becomes visible again', async () => {
    const world = barsWorld();
    world.see('ent_1');
    await world.pass(5_000);
    world.leave('ent_1');
    world.see('ent_1');
    await world.pass(5_000);
    expect(world.requests).toHaveLength(1);
  });

  it('requests only rolled-up hours, each once', async () => {
    const world = barsWorld();
    world.see('ent_1');
    await world.pass(3 * HOUR);
    expect(world.requests.map(({ hours }) => [hours[0], hours.at(-1), hours.length])).toEqual([
      ['11', '10', 24],
      ['11', '11', 1],
      ['12', '12', 1],
      ['13', '13', 1],
    ]);
  });

  it.each([-90 * MINUTE, 90 * MINUTE])('requests once an hour with a clock offset of %i ms', async (off) => {
    const world = barsWorld({ off });
    world.see('ent_1');
    await world.pass(12 * HOUR);
    expect(world.requests.length).toBeGreaterThanOrEqual(12);
    expect(world.requests.length).toBeLessThanOrEqual(13);
  });

  it('requests an hour that is not rolled up only after a state change, and only once', async () => {
    const world = barsWorld();
    world.change('ent_1');
    world.see('ent_1', 'ent_2');
    await world.pass(30 * MINUTE);
    expect(world.requests.slice(1)).toEqual([{ at: expect.any(Number), ids: ['ent_1'], hours: ['11', '12'] }]);
    world.change('ent_2', 'ent_out_of_sight');
    await world.pass(5_000);
    expect(world.requests.slice(2)).toEqual([{ at: expect.any(Number), ids: ['ent_2'], hours: ['11', '12'] }]);
  });

  it('reports a failure and retries later', async () => {
    const world = barsWorld();
    world.fails = new ApiFailure('Too many', { status: 429, code: 'RATE_LIMITED', retryAfter: 60 });
    world.see('ent_1');
    await world.pass(59_000);
    expect(world.requests).toHaveLength(1);
    expect(world.bars.failure.value?.message).toBe('Too many');
    world.fails = undefined;
    await world.pass(2_000);
    expect(world.bars.failure.value).toBeUndefined();
    expect(world.bars.of('ent_1').value).toBeDefined();
  });

  it('drops the cache on `forget`, for another user', async () => {
    const world = barsWorld();
    world.see('ent_1');
    await world.pass(5_000);
    world.bars.forget();
    expect(world.bars.of('ent_1').value).toBeUndefined();
    await world.pass(5_000);
    expect(world.requests).toHaveLength(2);
  });

  it('covers 24 contiguous hours, and never requests a complete hour again', () => {
    const step = fc.record({
      minutes: fc.integer({ min: 0, max: 3000 }),
      rollupMinutes: fc.integer({ min: 5, max: 200 }),
      isChange: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(step, { minLength: 1, maxLength: 12 }), (steps) => {
        let now = START;
        let row = { state: 'up' as State, state_since: LONG_AGO };
        const cached = new Map<string, CachedHours>();
        const complete = new Set<string>();
        for (const { minutes, rollupMinutes, isChange } of steps) {
          now += minutes * MINUTE + 1;
          if (isChange) row = { ...row, state_since: iso(now - 1) };
          for (let attempts = 0; ; attempts++) {
            const request = nextRequest(['ent_1'], cached, () => row, now);
            expect((nextDue(['ent_1'], cached, () => row) ?? 0) <= now).toBe(request !== undefined);
            if (!request) break;
            expect(attempts).toBeLessThan(2);
            const response = respond(new URLSearchParams(request.range), now, rollupMinutes * MINUTE);
            expect(response.length).toBeLessThanOrEqual(24);
            for (const hour of response) {
              expect(complete).not.toContain(hour.from);
              if (hour.complete) complete.add(hour.from);
            }
            cached.set('ent_1', cachedAfter(cached.get('ent_1'), response, now));
          }
          const hours = barHours(cached.get('ent_1')!, row, now);
          expect(hours).toHaveLength(24);
          expect(hours.at(-1)!.to).toBe(iso(now));
          for (const [i, { from, to, seconds }] of hours.entries()) {
            if (i > 0) expect(from).toBe(hours[i - 1]!.to);
            expect(Date.parse(from) % HOUR).toBe(0);
            expect(seconds.up).toBeCloseTo((Date.parse(to) - Date.parse(from)) / 1000);
          }
        }
      }),
    );
  });

  it.each(['up', 'degraded', 'down', 'unknown'] as const)(
    'uses the current state %s after the cached hours',
    (state) => {
      const cached = cachedAfter(undefined, respond(new URLSearchParams('to=2026-11-22T11:00:00.000Z'), START), START);
      const last = (state_since: string) =>
        barHours(cached, { state, state_since }, START)
          .slice(-2)
          .map(({ seconds }) => seconds);
      expect(last(LONG_AGO)).toEqual([
        { ...NONE, [state]: 3600 },
        { ...NONE, [state]: 1200 },
      ]);
      expect(last('2026-11-22T11:30:00.000Z')).toEqual([
        { ...NONE, unknown: 3600 },
        { ...NONE, [state]: 1200 },
      ]);
    },
  );
});
