import { beforeEach, describe, expect, it } from 'vitest';
import type { CheckItem } from '#lib/checks/check-item.ts';
import { deleteCheck, updateCheck } from '#lib/health/checks/change-check.ts';
import { listBuckets } from '#lib/health/rollups/buckets.ts';
import { DAY_MS, dayOf, HOUR_MS, hourOf } from '#lib/health/rollups/hours.ts';
import { checkHistories, entityHistory } from '#lib/health/rollups/read-history.ts';
import { rollUp } from '#lib/health/rollups/roll-up.ts';
import type { RollupItem } from '#lib/health/rollups/stored-rollups.ts';
import { cellOf, numberOf } from '#lib/keys.ts';
import { messages } from '#lib/messages.ts';
import { latestSlot } from '#lib/schedule/slots.ts';
import { type HealthWorld, healthWorld, rhythmOfCheck } from '#test/support/health-world.ts';

const MINUTE = 60_000;
let world: HealthWorld;
const now = () => world.ports.clock.now();
const until = (at: number) => world.advance(at - now());

beforeEach(async () => {
  world = await healthWorld();
  await world.watermark(1000 * DAY_MS);
  // A while into an hour.
  until(hourOf(now()) + HOUR_MS + 10 * MINUTE);
});

const cellOfCheck = (check: CheckItem) => ({ tenant_id: check.tenant_id, cell: cellOf(check.id) });
const rollUpDue = (check: CheckItem) => rollUp(world, cellOfCheck(check));
const stored = (check: CheckItem, of: 'hour' | 'day', from: number) =>
  world.ports.table.get<RollupItem>(world.keys.rollup(check.tenant_id, cellOf(check.id), of, from));
const runsOf = async (check: CheckItem, of: 'hour' | 'day', from: number) =>
  (await stored(check, of, from))?.figures[numberOf(check.id)]?.runs;

/** Takes the messages of the rollup queue that are due. */
function takeDue() {
  const due = world.sent.filter(({ queue, message }) => queue === 'rollup' && (message.not_before ?? 0) <= now());
  for (const one of due) world.sent.splice(world.sent.indexOf(one), 1);
  return due.map(({ message }) => messages.rollup.parse(message.body));
}

/** All that is announced is made, as time goes by. */
async function work(ms: number): Promise<void> {
  for (const end = now() + ms; now() < end; world.advance(5000)) {
    for (const message of takeDue()) await rollUp(world, message);
  }
}

async function daily(check: CheckItem) {
  const list = listBuckets({ bucket: 'day', from: now() - 3 * DAY_MS }, { now: now() });
  if ('wrong' in list) throw new Error(list.wrong.message);
  return (await checkHistories(world.context, [check], 'day', list))[0]!;
}

describe('an hour', () => {
  it('is made five minutes after it is over, not before', async () => {
    const check = await world.pushCheck();
    const hour = hourOf(now());
    await world.push(check);
    for (const [after, isMade] of [
      [0, false],
      [HOUR_MS, false],
      [HOUR_MS + 5 * MINUTE - 1, false],
      [HOUR_MS + 5 * MINUTE, true],
    ] as const) {
      until(hour + after);
      await rollUpDue(check);
      expect((await stored(check, 'hour', hour)) !== undefined).toBe(isMade);
    }
  });

  it('changes within five minutes with a push that comes late, and its day with it', async () => {
    const check = await world.pushCheck();
    const hour = hourOf(now());
    await world.push(check);
    until(dayOf(hour) + DAY_MS + 6 * MINUTE);
    await rollUpDue(check);
    await work(MINUTE);
    expect([await runsOf(check, 'hour', hour), await runsOf(check, 'day', dayOf(hour))]).toEqual([1, 1]);
    const before = await daily(check);
    expect(before.buckets.at(-2)).toMatchObject({ complete: true, revised_at: null });

    const sentAt = now();
    await world.push(check, true, hour + 10 * MINUTE);
    await work(5 * MINUTE);
    expect([await runsOf(check, 'hour', hour), await runsOf(check, 'day', dayOf(hour))]).toEqual([2, 2]);
    const revised_at = (await daily(check)).buckets.at(-2)?.revised_at;
    expect(Date.parse(revised_at!)).toBeGreaterThan(sentAt);
    expect((await daily(check)).buckets.at(-2)).toMatchObject({ runs: 2, complete: true });
  });

  it('is not left stale by a push whose process dies before it is written, and was sent again', async () => {
    const check = await world.pushCheck();
    const hour = hourOf(now());
    until(hour + HOUR_MS + 6 * MINUTE);
    await rollUpDue(check);
    const { transact } = world.ports.table;
    world.ports.table.transact = () => Promise.reject(new Error('the process died'));
    await expect(world.push(check, true, hour + MINUTE)).rejects.toThrow('died');
    world.ports.table.transact = transact;
    await work(5 * MINUTE);
    await world.push(check, true, hour + MINUTE);
    await work(5 * MINUTE);
    expect(await runsOf(check, 'hour', hour)).toBe(1);
  });

  it('is not left stale by a write that takes as long as a function may run', async () => {
    const check = await world.pushCheck();
    const hour = hourOf(now());
    until(hour + HOUR_MS + 6 * MINUTE);
    await rollUpDue(check);
    const { transact } = world.ports.table;
    world.ports.table.transact = async (writes) => {
      world.ports.table.transact = transact;
      await work(MINUTE);
      return transact(writes);
    };
    await world.push(check, true, hour + MINUTE);
    await work(5 * MINUTE);
    expect(await runsOf(check, 'hour', hour)).toBe(1);
  });

  it('that closes while a run of it is written holds that run', async () => {
    const check = await world.pushCheck();
    const hour = hourOf(now());
    until(hour + HOUR_MS + 5 * MINUTE - 1000);
    const { transact } = world.ports.table;
    world.ports.table.transact = async (writes) => {
      world.ports.table.transact = transact;
      world.advance(2000);
      await rollUpDue(check);
      return transact(writes);
    };
    await world.push(check, true, hour + MINUTE);
    await work(5 * MINUTE);
    expect(await runsOf(check, 'hour', hour)).toBe(1);
  });

  it('is the same when two aggregators make it at once, and knows what the later of them saw', async () => {
    const check = await world.pushCheck();
    const hour = hourOf(now());
    await world.push(check);
    until(hour + HOUR_MS + 6 * MINUTE);
    const { transact } = world.ports.table;
    world.ports.table.transact = async (writes) => {
      world.ports.table.transact = transact;
      await world.push(check, true, hour + MINUTE);
      await Promise.all([rollUpDue(check), rollUpDue(check)]);
      return transact(writes);
    };
    await rollUpDue(check);
    expect(await runsOf(check, 'hour', hour)).toBe(2);
  });

  it('with many late pushes is made anew once, and its day once', async () => {
    const check = await world.pushCheck();
    const hour = hourOf(now());
    await world.push(check);
    until(dayOf(hour) + DAY_MS + 6 * MINUTE);
    await rollUpDue(check);
    await work(MINUTE);
    let puts = 0;
    const { transact } = world.ports.table;
    world.ports.table.transact = (writes) => {
      puts += writes.filter((write) => 'put' in write && /^[HD]#/.test(write.put.sk)).length;
      return transact(writes);
    };
    for (let i = 0; i < 30; i++) await world.push(check, true, hour + i * MINUTE);
    await work(5 * MINUTE);
    expect(await runsOf(check, 'day', dayOf(hour))).toBe(31);
    // The hour, the day, and the day of the entity; a push takes no time here.
    expect(puts).toBe(3);
  });

  it('of a check that was made after it does not have it', async () => {
    const check = await world.pushCheck();
    const hour = hourOf(now());
    until(hour + HOUR_MS + 6 * MINUTE);
    await rollUpDue(check);
    const later = await world.pushCheck();
    expect(cellOf(later.id)).toBe(cellOf(check.id));
    const { buckets } = await daily(later);
    expect(buckets.at(-1)?.seconds.not_monitored).toBe((now() - dayOf(now())) / 1000);
    expect(buckets.at(-1)?.seconds.unknown).toBe(0);
  });

  it('counts what was pushed of the time before the check was made', async () => {
    const check = await world.pushCheck();
    const hour = hourOf(now()) - 5 * HOUR_MS;
    await world.push(check, false, hour + MINUTE);
    expect((await daily(check)).total).toMatchObject({ runs: 1, failures: 1 });
    await work(5 * MINUTE);
    expect(await runsOf(check, 'hour', hour)).toBe(1);
    expect((await daily(check)).total).toMatchObject({ runs: 1, failures: 1 });
  });

  it('is not made anew from raw data that has begun to expire', async () => {
    const check = await world.pushCheck();
    const hour = hourOf(now());
    await world.push(check, true, hour + MINUTE);
    until(hour + HOUR_MS + 6 * MINUTE);
    await rollUpDue(check);
    // As the store does in the background.
    const { pk } = world.keys.result(check.tenant_id, check.id, hour, '');
    const { items } = await world.ports.table.query({ partition: pk, from: 'R#', to: 'R#~' });
    await world.ports.table.transact(items.map(({ pk, sk }) => ({ delete: { pk, sk } })));
    until(hour + 30 * DAY_MS + 56 * MINUTE);
    await world.push(check, true, hour + 58 * MINUTE);
    await work(5 * MINUTE);
    expect(await runsOf(check, 'hour', hour)).toBe(1);
  });
});

describe('a day', () => {
  it('is made with its last hour', async () => {
    const check = await world.pushCheck();
    const day = dayOf(now());
    await world.push(check);
    until(day + DAY_MS + 5 * MINUTE - 1);
    for (let i = 0; i < 3; i++) await rollUpDue(check);
    expect(await stored(check, 'day', day)).toBeUndefined();
    world.advance(1);
    await rollUpDue(check);
    expect(await runsOf(check, 'day', day)).toBe(1);
  });

  it('is made by the next message when the process dies between its last hour and it', async () => {
    const check = await world.pushCheck();
    const day = dayOf(now());
    await world.push(check);
    until(day + DAY_MS + 6 * MINUTE);
    const { transact } = world.ports.table;
    world.ports.table.transact = (writes) =>
      writes.some((write) => 'put' in write && write.put.sk.startsWith('D#'))
        ? Promise.reject(new Error('the process died'))
        : transact(writes);
    for (let i = 0; i < 2; i++) await rollUpDue(check).catch(() => {});
    expect(await stored(check, 'hour', day + DAY_MS - HOUR_MS)).toBeDefined();
    world.ports.table.transact = transact;
    until(now() + HOUR_MS);
    await rollUpDue(check);
    expect(await runsOf(check, 'day', day)).toBe(1);
  });

  it('follows its hour when the process dies between an hour that is made anew and the day', async () => {
    const check = await world.pushCheck();
    const hour = hourOf(now());
    until(dayOf(hour) + DAY_MS + 6 * MINUTE);
    await rollUpDue(check);
    await work(MINUTE);
    await world.push(check, true, hour + MINUTE);
    world.advance(3 * MINUTE);
    const [message] = takeDue();
    const { send } = world.ports.queues;
    world.ports.queues.send = () => Promise.reject(new Error('the process died'));
    await expect(rollUp(world, message!)).rejects.toThrow('died');
    world.ports.queues.send = send;
    // The queue gives it again.
    await rollUp(world, message!);
    await work(2 * MINUTE);
    expect(await runsOf(check, 'day', dayOf(hour))).toBe(1);
  });
});

describe('an aggregator that was away', () => {
  it('for two days makes all hours and days of them, twelve hours a message', async () => {
    const check = await world.pushCheck();
    const first = hourOf(now());
    await world.push(check);
    until(first + 2 * DAY_MS + 6 * MINUTE);
    await rollUpDue(check);
    expect(await stored(check, 'hour', first + 11 * HOUR_MS)).toBeDefined();
    expect(await stored(check, 'hour', first + 12 * HOUR_MS)).toBeUndefined();
    await work(MINUTE);
    for (let hour = first; hour < first + 2 * DAY_MS; hour += HOUR_MS) {
      expect(await stored(check, 'hour', hour)).toBeDefined();
    }
    for (const day of [dayOf(first), dayOf(first) + DAY_MS]) expect(await stored(check, 'day', day)).toBeDefined();
    expect(world.sent.filter(({ queue }) => queue === 'rollup')).toEqual([]);
  });

  it('for longer than raw data is kept begins with the first hour that is there as a whole', async () => {
    const check = await world.pushCheck();
    const first = hourOf(now());
    await world.push(check);
    until(first + 32 * DAY_MS + 30 * MINUTE);
    await rollUpDue(check);
    expect(await stored(check, 'hour', first + 2 * DAY_MS - HOUR_MS)).toBeUndefined();
    expect(await stored(check, 'hour', first + 2 * DAY_MS)).toBeDefined();
  });
});

describe('an outage', () => {
  it('that is confirmed hours after its first failure changes each hour since', async () => {
    const check = await world.check({ interval_seconds: 7200, failure_threshold: 2 });
    const probeNext = async (error = '') => {
      const rhythm = rhythmOfCheck(check);
      const slot = latestSlot(rhythm, now()) + rhythm.interval_ms;
      for (; now() < slot - 1000; world.advance(Math.min(20 * MINUTE, slot - 1000 - now()))) await rollUpDue(check);
      until(slot);
      await world.probe(check, slot, error);
      return slot;
    };
    await probeNext();
    const failed = await probeNext('status 503');
    const down = await probeNext('status 503');
    world.advance(HOUR_MS + 6 * MINUTE);
    await work(5 * MINUTE);
    await rollUpDue(check);
    const between = hourOf(failed) + HOUR_MS;
    const timeOf = async (hour: number) => (await stored(check, 'hour', hour))?.figures[numberOf(check.id)]?.time;
    expect(await timeOf(hourOf(failed))).toBe(`u${failed - hourOf(failed)}d`);
    expect(await timeOf(between)).toBe('d');
    expect(await timeOf(hourOf(down))).toBe('d');
  });

  it('of a check that was disabled meanwhile begins after that', async () => {
    const check = await world.check({ failure_threshold: 2, interval_seconds: 60 });
    const fail = async () => {
      world.advance(MINUTE);
      const slot = latestSlot(rhythmOfCheck(check), now());
      until(Math.max(slot, now()));
      await world.probe(check, slot, 'status 503');
    };
    await fail();
    for (const enabled of [false, true]) {
      world.advance(10 * MINUTE);
      await updateCheck(world.context, await world.fresh(check), { enabled });
    }
    const enabledAt = now();
    await fail();
    await fail();
    const { effective_at, state } = await world.fresh(check);
    expect(state).toBe('down');
    expect(effective_at).toBeGreaterThan(enabledAt);
  });
});

describe('the day of an entity', () => {
  /** An entity with a check in each of two cells. */
  async function spread() {
    const entity = await world.entity();
    const first = await world.pushCheck({ entity_id: entity.id, failure_threshold: 1 });
    for (let i = 0; i < 49; i++) await world.pushCheck();
    const second = await world.pushCheck({ entity_id: entity.id, failure_threshold: 1 });
    expect(cellOf(second.id)).not.toBe(cellOf(first.id));
    return { id: entity.id, first, second };
  }
  const entityItem = async (id: string) =>
    (
      await world.ports.table.query<never>({
        partition: world.keys.entities(world.context.tenant, world.keys.bucketOf(id)),
      })
    ).items.find(({ sk }) => sk === id)!;
  const entityDays = async (id: string) => {
    const list = listBuckets({ bucket: 'day', from: now() - 3 * DAY_MS }, { now: now() });
    if ('wrong' in list) throw new Error(list.wrong.message);
    return entityHistory(world.context, await entityItem(id), 'day', list);
  };

  it('knows its checks in all cells, also what comes late to the second', async () => {
    const { id, first, second } = await spread();
    const hour = hourOf(now());
    await world.push(first);
    await world.push(second, false);
    until(dayOf(hour) + DAY_MS + 6 * MINUTE);
    const raw = (await entityDays(id)).buckets.at(-2)!;
    for (const check of [first, second]) {
      await rollUpDue(check);
      await work(MINUTE);
    }
    const day = (await entityDays(id)).buckets.at(-2)!;
    expect(day).toEqual({ ...raw, complete: true });
    expect(day).toMatchObject({ runs: 2, failures: 1 });
    expect(day.seconds.degraded).toBeGreaterThan(3600);

    await world.push(second, true, hour + MINUTE);
    await work(5 * MINUTE);
    expect((await entityDays(id)).buckets.at(-2)).toMatchObject({ runs: 3, revised_at: expect.any(String) });
  });

  it('stays what it was when a check is deleted, and made again', async () => {
    const { id, first, second } = await spread();
    const hour = hourOf(now());
    await world.push(first, false);
    await world.push(second);
    until(dayOf(hour) + DAY_MS + 6 * MINUTE);
    for (const check of [first, second]) {
      await rollUpDue(check);
      await work(MINUTE);
    }
    const day = (await entityDays(id)).buckets.at(-2)!;
    expect(day).toMatchObject({ runs: 2, failures: 1 });
    await deleteCheck(world.context, await world.fresh(first));
    const again = await world.pushCheck({ entity_id: id });
    await world.push(second, true, hour + MINUTE);
    await work(5 * MINUTE);
    expect((await entityDays(id)).buckets.at(-2)).toEqual(day);
    expect((await daily(again)).buckets.at(-2)?.runs).toBe(0);
  });
});
