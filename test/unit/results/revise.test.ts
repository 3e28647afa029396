import { beforeEach, describe, expect, it } from 'vitest';
import { updateCheck } from '#lib/checks/change/change-check.ts';
import { rollUp } from '#lib/history/rollups/roll-up.ts';
import { numberOf } from '#lib/keys.ts';
import { DAY_MS, HOUR_MS } from '#lib/platform/time.ts';
import { latestSlot, startOfDay, startOfHour } from '#lib/schedule/slots.ts';
import { intervalScheduleOfCheck } from '#test/support/health-world.ts';
import { type RollupWorld, rollupWorld } from '#test/unit/history/rollups/rollup-world.ts';

const MINUTE = 60_000;
let w: RollupWorld;
beforeEach(async () => {
  w = await rollupWorld();
});

describe('a rolled-up hour', () => {
  it('changes within five minutes after a late push, and its day too', async () => {
    const check = await w.pushCheck();
    const hour = startOfHour(w.now());
    await w.push(check);
    w.until(startOfDay(hour) + DAY_MS + 6 * MINUTE);
    await w.rollUpDue(check);
    await w.work(MINUTE);
    expect([await w.runsOf(check, 'hour', hour), await w.runsOf(check, 'day', startOfDay(hour))]).toEqual([1, 1]);
    const before = await w.daily(check);
    expect(before.buckets.at(-2)).toMatchObject({ complete: true, revised_at: null });

    const sentAt = w.now();
    await w.push(check, true, hour + 10 * MINUTE);
    await w.work(5 * MINUTE);
    expect([await w.runsOf(check, 'hour', hour), await w.runsOf(check, 'day', startOfDay(hour))]).toEqual([2, 2]);
    const revised_at = (await w.daily(check)).buckets.at(-2)?.revised_at;
    expect(Date.parse(revised_at!)).toBeGreaterThan(sentAt);
    expect((await w.daily(check)).buckets.at(-2)).toMatchObject({ runs: 2, complete: true });
  });

  it('is revised when a process dies before it writes a push that is sent again', async () => {
    const check = await w.pushCheck();
    const hour = startOfHour(w.now());
    w.until(hour + HOUR_MS + 6 * MINUTE);
    await w.rollUpDue(check);
    const { transact } = w.ports.table;
    w.ports.table.transact = () => Promise.reject(new Error('the process died'));
    await expect(w.push(check, true, hour + MINUTE)).rejects.toThrow('died');
    w.ports.table.transact = transact;
    await w.work(5 * MINUTE);
    await w.push(check, true, hour + MINUTE);
    await w.work(5 * MINUTE);
    expect(await w.runsOf(check, 'hour', hour)).toBe(1);
  });

  it('is revised after a write that takes the maximum duration of a function', async () => {
    const check = await w.pushCheck();
    const hour = startOfHour(w.now());
    w.until(hour + HOUR_MS + 6 * MINUTE);
    await w.rollUpDue(check);
    w.beforeNextWrite(async () => {
      await w.work(MINUTE);
    });
    await w.push(check, true, hour + MINUTE);
    await w.work(5 * MINUTE);
    expect(await w.runsOf(check, 'hour', hour)).toBe(1);
  });

  it('includes a result that is written while it closes', async () => {
    const check = await w.pushCheck();
    const hour = startOfHour(w.now());
    w.until(hour + HOUR_MS + 5 * MINUTE - 1000);
    w.beforeNextWrite(async () => {
      w.advance(2000);
      await w.rollUpDue(check);
    });
    await w.push(check, true, hour + MINUTE);
    await w.work(5 * MINUTE);
    expect(await w.runsOf(check, 'hour', hour)).toBe(1);
  });

  it('is remade once for many late pushes, and its day once', async () => {
    const check = await w.pushCheck();
    const hour = startOfHour(w.now());
    await w.push(check);
    w.until(startOfDay(hour) + DAY_MS + 6 * MINUTE);
    await w.rollUpDue(check);
    await w.work(MINUTE);
    let puts = 0;
    const { transact } = w.ports.table;
    w.ports.table.transact = (writes) => {
      puts += writes.filter((write) => 'put' in write && /^[HD]#/.test(write.put.sk)).length;
      return transact(writes);
    };
    for (let i = 0; i < 30; i++) await w.push(check, true, hour + i * MINUTE);
    await w.work(5 * MINUTE);
    expect(await w.runsOf(check, 'day', startOfDay(hour))).toBe(31);
    // The hour, the day, and the day of the entity: in virtual time, all pushes have one revision.
    expect(puts).toBe(3);
  });

  it('counts pushes for the time before the check was created', async () => {
    const check = await w.pushCheck();
    const hour = startOfHour(w.now()) - 5 * HOUR_MS;
    await w.push(check, false, hour + MINUTE);
    expect((await w.daily(check)).total).toMatchObject({ runs: 1, failures: 1 });
    await w.work(5 * MINUTE);
    expect(await w.runsOf(check, 'hour', hour)).toBe(1);
    expect((await w.daily(check)).total).toMatchObject({ runs: 1, failures: 1 });
  });

  it('is not remade from raw data that has begun to expire', async () => {
    const check = await w.pushCheck();
    const hour = startOfHour(w.now());
    await w.push(check, true, hour + MINUTE);
    w.until(hour + HOUR_MS + 6 * MINUTE);
    await w.rollUpDue(check);
    // The store deletes expired items like this in the background.
    const { pk } = w.keys.result(check.tenant_id, check.id, hour, '');
    const { items } = await w.ports.table.query({ partition: pk, from: 'R#', to: 'R#~' });
    await w.ports.table.transact(items.map(({ pk, sk }) => ({ delete: { pk, sk } })));
    w.until(hour + 30 * DAY_MS + 56 * MINUTE);
    await w.push(check, true, hour + 58 * MINUTE);
    await w.work(5 * MINUTE);
    expect(await w.runsOf(check, 'hour', hour)).toBe(1);
  });
});

describe('a rolled-up day', () => {
  it('follows its hour when the process dies before the day is remade', async () => {
    const check = await w.pushCheck();
    const hour = startOfHour(w.now());
    w.until(startOfDay(hour) + DAY_MS + 6 * MINUTE);
    await w.rollUpDue(check);
    await w.work(MINUTE);
    await w.push(check, true, hour + MINUTE);
    w.advance(3 * MINUTE);
    const [message] = w.takeDue();
    const { send } = w.ports.queues;
    w.ports.queues.send = () => Promise.reject(new Error('the process died'));
    await expect(rollUp(w, message!)).rejects.toThrow('died');
    w.ports.queues.send = send;
    // The queue delivers it again.
    await rollUp(w, message!);
    await w.work(2 * MINUTE);
    expect(await w.runsOf(check, 'day', startOfDay(hour))).toBe(1);
  });
});

describe('an outage', () => {
  it('changes each hour since its first failure when it is confirmed hours later', async () => {
    const check = await w.check({ interval_seconds: 7200, failure_threshold: 2 });
    const probeNext = async (error = '') => {
      const schedule = intervalScheduleOfCheck(check);
      const slot = latestSlot(schedule, w.now()) + schedule.interval_ms;
      for (; w.now() < slot - 1000; w.advance(Math.min(20 * MINUTE, slot - 1000 - w.now()))) await w.rollUpDue(check);
      w.until(slot);
      await w.probe(check, slot, error);
      return slot;
    };
    await probeNext();
    const failed = await probeNext('status 503');
    const down = await probeNext('status 503');
    w.advance(HOUR_MS + 6 * MINUTE);
    await w.work(5 * MINUTE);
    await w.rollUpDue(check);
    const between = startOfHour(failed) + HOUR_MS;
    const timeOf = async (hour: number) => (await w.stored(check, 'hour', hour))?.figures[numberOf(check.id)]?.time;
    expect(await timeOf(startOfHour(failed))).toBe(`u${failed - startOfHour(failed)}d`);
    expect(await timeOf(between)).toBe('d');
    expect(await timeOf(startOfHour(down))).toBe('d');
  });

  it('starts after the check was enabled again, if it was disabled after the first failure', async () => {
    const check = await w.check({ failure_threshold: 2, interval_seconds: 60 });
    const fail = async () => {
      w.advance(MINUTE);
      const slot = latestSlot(intervalScheduleOfCheck(check), w.now());
      w.until(Math.max(slot, w.now()));
      await w.probe(check, slot, 'status 503');
    };
    await fail();
    for (const enabled of [false, true]) {
      w.advance(10 * MINUTE);
      await updateCheck(w.context, await w.fresh(check), { enabled });
    }
    const enabledAt = w.now();
    await fail();
    await fail();
    const { effective_at, state } = await w.fresh(check);
    expect(state).toBe('down');
    expect(effective_at).toBeGreaterThan(enabledAt);
  });
});
