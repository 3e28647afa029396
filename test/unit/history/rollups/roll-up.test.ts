import { beforeEach, describe, expect, it } from 'vitest';
import { setLimits } from '#lib/access/change-account.ts';
import { cellOf } from '#lib/keys.ts';
import { DAY_MS, HOUR_MS } from '#lib/platform/time.ts';
import { startOfDay, startOfHour } from '#lib/schedule/slots.ts';
import { type RollupWorld, rollupWorld } from './rollup-world.ts';

const MINUTE = 60_000;
let w: RollupWorld;
beforeEach(async () => {
  w = await rollupWorld();
});

describe('the rollup of an hour', () => {
  it('is made five minutes after the hour is over, not before', async () => {
    const check = await w.pushCheck();
    const hour = startOfHour(w.now());
    await w.push(check);
    for (const [after, isMade] of [
      [0, false],
      [HOUR_MS, false],
      [HOUR_MS + 5 * MINUTE - 1, false],
      [HOUR_MS + 5 * MINUTE, true],
    ] as const) {
      w.until(hour + after);
      await w.rollUpDue(check);
      expect((await w.stored(check, 'hour', hour)) !== undefined).toBe(isMade);
    }
  });

  it('is made in time even if the clock of the machine is behind', async () => {
    const check = await w.pushCheck();
    const hour = startOfHour(w.now());
    await w.push(check);
    w.until(hour + HOUR_MS + 5 * MINUTE - 2000);
    await w.rollUpDue(check);
    expect(await w.runsOf(check, 'hour', hour)).toBeUndefined();
    await w.work(MINUTE);
    expect(await w.runsOf(check, 'hour', hour)).toBe(1);
    expect(w.sent.filter(({ queue }) => queue === 'housekeeping')).toEqual([]);
  });

  it('contains a late result when it is made twice at once', async () => {
    const check = await w.pushCheck();
    const hour = startOfHour(w.now());
    await w.push(check);
    w.until(hour + HOUR_MS + 6 * MINUTE);
    w.beforeNextWrite(async () => {
      await w.push(check, true, hour + MINUTE);
      await Promise.all([w.rollUpDue(check), w.rollUpDue(check)]);
    });
    await w.rollUpDue(check);
    expect(await w.runsOf(check, 'hour', hour)).toBe(2);
  });

  it('does not contain a check that was created after the hour', async () => {
    const check = await w.pushCheck();
    const hour = startOfHour(w.now());
    w.until(hour + HOUR_MS + 6 * MINUTE);
    await w.rollUpDue(check);
    const later = await w.pushCheck();
    expect(cellOf(later.id)).toBe(cellOf(check.id));
    const { buckets } = await w.daily(later);
    expect(buckets.at(-1)?.seconds.not_monitored).toBe((w.now() - startOfDay(w.now())) / 1000);
    expect(buckets.at(-1)?.seconds.unknown).toBe(0);
  });
});

describe('rollups', () => {
  it.each([
    [{ rollup_days: 400, retention_days: 30 }, 90, 400],
    [{ rollup_days: 1100, retention_days: 30 }, 90, 1100],
    [{ rollup_days: 60, retention_days: 30 }, 60, 60],
    [{ rollup_days: 60, retention_days: 120 }, 120, 60],
  ])('are kept with %j: of hours for %i days, of days for %i days', async (limits, ofHour, ofDay) => {
    await setLimits(w.context, limits);
    const check = await w.pushCheck();
    const day = startOfDay(w.now());
    const hour = startOfHour(w.now());
    await w.push(check);
    w.until(day + DAY_MS + 5 * MINUTE);
    for (let i = 0; i < 3; i++) await w.rollUpDue(check);
    const keptFor = async (of: 'hour' | 'day', from: number) =>
      ((await w.stored(check, of, from))!.expires_at! * 1000 - from) / DAY_MS;
    // One day more than shown, so that all shown days are complete.
    expect([await keptFor('hour', hour), await keptFor('day', day)]).toEqual([ofHour + 1, ofDay + 1]);
  });
});

describe('the rollup of a day', () => {
  it('is made with its last hour', async () => {
    const check = await w.pushCheck();
    const day = startOfDay(w.now());
    await w.push(check);
    w.until(day + DAY_MS + 5 * MINUTE - 1);
    for (let i = 0; i < 3; i++) await w.rollUpDue(check);
    expect(await w.stored(check, 'day', day)).toBeUndefined();
    w.advance(1);
    await w.rollUpDue(check);
    expect(await w.runsOf(check, 'day', day)).toBe(1);
  });

  it('is made by the next message when the process dies before making it', async () => {
    const check = await w.pushCheck();
    const day = startOfDay(w.now());
    await w.push(check);
    w.until(day + DAY_MS + 6 * MINUTE);
    const { transact } = w.ports.table;
    w.ports.table.transact = (writes) =>
      writes.some((write) => 'put' in write && write.put.sk.startsWith('D#'))
        ? Promise.reject(new Error('the process died'))
        : transact(writes);
    for (let i = 0; i < 2; i++) await w.rollUpDue(check).catch(() => {});
    expect(await w.stored(check, 'hour', day + DAY_MS - HOUR_MS)).toBeDefined();
    w.ports.table.transact = transact;
    w.until(w.now() + HOUR_MS);
    await w.rollUpDue(check);
    expect(await w.runsOf(check, 'day', day)).toBe(1);
  });
});

describe('rollUp after a pause', () => {
  it('makes all hours and days of two days, twelve hours per message', async () => {
    const check = await w.pushCheck();
    const first = startOfHour(w.now());
    await w.push(check);
    w.until(first + 2 * DAY_MS + 6 * MINUTE);
    await w.rollUpDue(check);
    expect(await w.stored(check, 'hour', first + 11 * HOUR_MS)).toBeDefined();
    expect(await w.stored(check, 'hour', first + 12 * HOUR_MS)).toBeUndefined();
    await w.work(MINUTE);
    for (let hour = first; hour < first + 2 * DAY_MS; hour += HOUR_MS) {
      expect(await w.stored(check, 'hour', hour)).toBeDefined();
    }
    for (const day of [startOfDay(first), startOfDay(first) + DAY_MS])
      expect(await w.stored(check, 'day', day)).toBeDefined();
    expect(w.sent.filter(({ queue }) => queue === 'housekeeping')).toEqual([]);
  });

  it('starts with the first complete hour when raw data has expired', async () => {
    const check = await w.pushCheck();
    const first = startOfHour(w.now());
    await w.push(check);
    w.until(first + 32 * DAY_MS + 30 * MINUTE);
    await w.rollUpDue(check);
    expect(await w.stored(check, 'hour', first + 2 * DAY_MS - HOUR_MS)).toBeUndefined();
    expect(await w.stored(check, 'hour', first + 2 * DAY_MS)).toBeDefined();
  });
});
