import { describe, expect, it } from 'vitest';
import { makeMonthUptimes } from '#console/api/month-uptimes.ts';
import { sparklinePath, sparklineSummary } from '#console/rules/sparkline.ts';
import { settled } from './world.ts';

const START = Date.parse('2026-11-22T12:20:00.000Z');

/** Creates a fake service that records the entities of each request. */
function uptimesWorld() {
  let now = START;
  let timer: { at: number; run: () => void } | undefined;
  const requests: string[][] = [];
  const world = {
    requests,
    fails: false,
    uptimes: makeMonthUptimes({
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
        expect(searchParams.get('from')).toBe('2026-10-24T00:00:00.000Z');
        const ids = searchParams.get('entity_ids')!.split(',');
        requests.push(ids);
        if (world.fails) throw new Error('offline');
        return { entities: ids.map((entity_id) => ({ entity_id, total: { uptime: 0.5 } })) } as T;
      },
    }),
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
  };
  return world;
}

describe('uptimes of the last 30 days', () => {
  it('are read only for visible rows, up to 50 per request, and for each row at most every ten minutes', async () => {
    const world = uptimesWorld();
    for (let i = 0; i < 60; i++) world.uptimes.setVisible(`ent_${i}`, true);
    world.uptimes.setVisible('ent_0', false);
    await world.pass(9 * 60_000);
    expect(world.requests.map((ids) => ids.length)).toEqual([50, 9]);
    expect(world.uptimes.of('ent_1').value).toBe(0.5);
    expect(world.uptimes.of('ent_0').value).toBeUndefined();
    await world.pass(2 * 60_000);
    expect(world.requests).toHaveLength(4);
  });

  it('keep their values after a failure, and are dropped for another user', async () => {
    const world = uptimesWorld();
    world.uptimes.setVisible('ent_1', true);
    await world.pass(1_000);
    world.fails = true;
    await world.pass(11 * 60_000);
    expect(world.requests).toHaveLength(2);
    expect(world.uptimes.of('ent_1').value).toBe(0.5);
    const shown = world.uptimes.of('ent_1');
    world.uptimes.forget();
    expect(shown.value).toBeUndefined();
  });
});

describe('sparkline', () => {
  it('draws the maximum at the top, and interrupts the line where data is missing', () => {
    expect(sparklinePath([0, 50, 100, null, 100], 100, 10)).toBe('M0 10L0 10L25 5L50 0M100 0L100 0');
    expect(sparklinePath([], 100, 10)).toBe('');
  });

  it('has a summary with range and last value', () => {
    expect(sparklineSummary([12, null, 240, 14, null], 'Latency')).toBe('Latency: 12 to 240 ms, last 14 ms');
    expect(sparklineSummary([null], 'Latency')).toBe('Latency: no data');
  });
});
