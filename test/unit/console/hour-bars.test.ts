import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ApiFailure } from '#console/api/call.ts';
import { makeHourBars } from '#console/api/hour-bars.ts';
import { type Hour, heldAfter } from '#console/rules/hour-bars.ts';
import { settled } from './world.ts';

const HOUR = 3_600_000;
const MINUTE = 60_000;
const START = Date.parse('2026-11-22T12:20:00.000Z');
const iso = (at: number): string => new Date(at).toISOString();

const NONE = { up: 0, degraded: 0, down: 0, unknown: 0, gap: 0, maintenance: 0, not_monitored: 0 };

/** The hours from one on until now, as the API answers them. @param rolledUp ms until an hour is complete */
function hoursFrom(from: number, now: number, rolledUp = 5 * MINUTE): Hour[] {
  const hours: Hour[] = [];
  for (let at = from; at < now; at += HOUR) {
    const to = Math.min(at + HOUR, now);
    const complete = now >= at + HOUR + rolledUp;
    hours.push({ from: iso(at), to: iso(to), complete, uptime: 1, seconds: { ...NONE, up: (to - at) / 1000 } });
  }
  return hours;
}

/** A service whose clock is `off` ms ahead of the page's, and which notes what it was asked. */
function barsWorld({ off = 0 } = {}) {
  let now = START;
  let timer: { at: number; run: () => void } | undefined;
  const asked: { at: number; ids: string[]; hours: number }[] = [];
  const world = {
    asked,
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
      async get<T>(path: string) {
        const { searchParams } = new URL(path, 'http://service');
        const ids = searchParams.get('entity_ids')!.split(',');
        const from = searchParams.get('from');
        const there = now + off;
        const begin = from === null ? Math.floor((there - 24 * HOUR) / HOUR) * HOUR : Date.parse(from);
        const buckets = hoursFrom(begin, there);
        asked.push({ at: now - START, ids, hours: buckets.length });
        await Promise.resolve();
        if (world.fails) throw world.fails;
        return { entities: ids.map((entity_id) => ({ entity_id, buckets })) } as T;
      },
    }),
    /** Lets so many ms pass, with all that is planned in them. */
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
      for (const id of ids) world.bars.seen(id, true);
    },
    leave(...ids: string[]) {
      for (const id of ids) world.bars.seen(id, false);
    },
  };
  return world;
}

const many = (count: number, from = 0) => Array.from({ length: count }, (_, i) => `ent_${from + i}`);

describe('the bars of the fleet', () => {
  it('of rows that come into sight together are asked for at once', async () => {
    const world = barsWorld();
    world.see(...many(40));
    await world.pass(10_000);
    expect(world.asked).toHaveLength(1);
    expect(world.asked[0]!.ids).toEqual(many(40));
    expect(world.bars.of('ent_7').value?.hours).toHaveLength(24);
  });

  it('of nothing that is out of sight are asked for', async () => {
    const world = barsWorld();
    world.see(...many(40));
    world.leave(...many(39));
    await world.pass(10_000);
    expect(world.asked.map(({ ids }) => ids)).toEqual([['ent_39']]);
  });

  it('are asked for once a second at most, and fifty at a time, however one scrolls', async () => {
    const world = barsWorld();
    for (let i = 0; i < 40; i++) {
      world.leave(...many(20, (i - 1) * 20));
      world.see(...many(20, i * 20));
      await world.pass(100);
    }
    await world.pass(10_000);
    world.see(...many(120, 5000));
    await world.pass(10_000);
    const gaps = world.asked.slice(1).map(({ at }, i) => at - world.asked[i]!.at);
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(1000);
    expect(Math.max(...world.asked.map(({ ids }) => ids.length))).toBeLessThanOrEqual(50);
    for (const id of many(120, 5000)) expect(world.bars.of(id).value).toBeDefined();
  });

  it('are not asked for again when a row comes back', async () => {
    const world = barsWorld();
    world.see('ent_1');
    await world.pass(5_000);
    world.leave('ent_1');
    world.see('ent_1');
    await world.pass(5_000);
    expect(world.asked).toHaveLength(1);
  });

  it.each([0, -90 * MINUTE, 90 * MINUTE])(
    'ask once an hour, for the hours that were not closed alone, with a clock off by %i ms',
    async (off) => {
      const world = barsWorld({ off });
      world.see('ent_1');
      await world.pass(12 * HOUR);
      const [first, ...later] = world.asked;
      expect(first!.hours).toBe(25);
      expect(later).toHaveLength(12);
      expect(later.every(({ hours }) => hours === 2)).toBe(true);
      expect(world.bars.of('ent_1').value!.hours).toHaveLength(24);
    },
  );

  it('ask for the running hour alone when the state changed', async () => {
    const world = barsWorld();
    world.see('ent_1', 'ent_2');
    await world.pass(5_000);
    world.bars.changed(['ent_1', 'ent_out_of_sight']);
    await world.pass(5_000);
    expect(world.asked.slice(1)).toEqual([{ at: expect.any(Number), ids: ['ent_1'], hours: 1 }]);
  });

  it('say why they are not there, and try again later', async () => {
    const world = barsWorld();
    world.fails = new ApiFailure('Too many', { status: 429, code: 'RATE_LIMITED', retryAfter: 60 });
    world.see('ent_1');
    await world.pass(59_000);
    expect(world.asked).toHaveLength(1);
    expect(world.bars.failure.value?.message).toBe('Too many');
    world.fails = undefined;
    await world.pass(2_000);
    expect(world.bars.failure.value).toBeUndefined();
    expect(world.bars.of('ent_1').value).toBeDefined();
  });

  it('of somebody else are forgotten, and asked for anew', async () => {
    const world = barsWorld();
    world.see('ent_1');
    await world.pass(5_000);
    world.bars.forget();
    expect(world.bars.of('ent_1').value).toBeUndefined();
    await world.pass(5_000);
    expect(world.asked).toHaveLength(2);
  });

  it('have 24 hours without a gap and none twice, whenever one asks', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 300 }), { minLength: 1, maxLength: 12 }), (waits) => {
        let now = START;
        let held = heldAfter(undefined, hoursFrom(Math.floor((now - 24 * HOUR) / HOUR) * HOUR, now), now);
        for (const minutes of waits) {
          now += minutes * MINUTE;
          const open = held.hours.find(({ complete }) => !complete)!.from;
          held = heldAfter(held, hoursFrom(Date.parse(open), now), now);
          expect(held.hours).toHaveLength(24);
          for (const [i, { from }] of held.hours.entries()) if (i > 0) expect(from).toBe(held.hours[i - 1]!.to);
        }
      }),
    );
  });
});
