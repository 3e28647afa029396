import { describe, expect, it } from 'vitest';
import { openTable } from '#infra/local/store/sqlite-table.ts';
import type { Ports } from '#lib/env.ts';
import { keyTable } from '#lib/keys.ts';
import type { Job } from '#lib/messages.ts';
import { AppError } from '#lib/platform/errors.ts';
import type { Message } from '#lib/platform/ports.ts';
import { emitShards } from '#lib/schedule/emit.ts';
import { deadlineEntry, type EntryItem, probeEntry } from '#lib/schedule/entries.ts';
import { lastOutageEnd, outagesBetween } from '#lib/schedule/outages.ts';
import { readWatermark, writerSendsUntil } from '#lib/schedule/watermark.ts';
import { readSettings } from '#lib/settings.ts';
import { memoryLog } from '#test/support/log.ts';
import { repeatableIds } from '#test/support/random.ts';

const MINUTE = 60_000;
const GROUP_MS = 50;
const START = Date.UTC(2026, 10, 21, 5);
const owner = { tenant_id: 'acc_a', entity_id: 'ent_a', id: 'chk_a' };
const cell = { tenant_id: 'acc_a', cell: 'cella', interval_seconds: 10 };

/** Creates a shard with one cell, due every ten seconds at second 3, and one deadline. */
async function shard() {
  const settings = readSettings({ SHARDS: '1', JOB_GROUP_MS: String(GROUP_MS) });
  const keys = keyTable(settings);
  const table = openTable({ file: ':memory:' });
  let now = START;
  let refuses = false;
  const sent: { queue: string; message: Message }[] = [];
  const clock = { now: () => now, sleep: async () => {} };
  const queues = {
    send: async (queue: string, messages: Message[]) => {
      if (refuses) throw new AppError('UNAVAILABLE', 'The queue is full.');
      sent.push(...messages.map((message) => ({ queue, message })));
    },
  };
  const log = memoryLog();
  const ports = { table, queues, clock, ids: repeatableIds(clock), log, settings } as unknown as Ports;
  const due = probeEntry(keys, cell, 'v1', { from: START - MINUTE, checks: 50 });
  due.rhythm.phase = 3000;
  await table.putMany([due, deadlineEntry(keys, 'missed_heartbeat', owner, 'v1', START + 90_000)]);
  return {
    ports,
    keys,
    log,
    pass: (ms: number) => {
      now += ms;
    },
    refuse: (on: boolean) => {
      refuses = on;
    },
    tick: (scheduled: number) => emitShards({ ports, keys }, [0], scheduled),
    /** Returns the slots that were sent since the last call, in seconds after START. */
    slots: () => {
      const all = sent.splice(0).filter(({ queue }) => queue === 'job');
      return all.flatMap(({ message }) =>
        (message.body as { jobs: Job[] }).jobs.map(({ slot }) => (slot - START) / 1000),
      );
    },
    deadlines: () => sent.filter(({ queue }) => queue === 'deadline').map(({ message }) => message),
    watermark: async () => ((await readWatermark({ ports, keys }, 0))?.at ?? 0) - START,
  };
}

const every10 = (from: number, to: number): number[] =>
  Array.from({ length: (to - from) / 10 }, (_, i) => from + 3 + 10 * i);

describe('a tick', () => {
  it('sends items due in the next two minutes, and the next tick only the following ones', async () => {
    const world = await shard();
    await world.tick(START);
    expect(world.slots()).toEqual(every10(0, 120));
    expect(await world.watermark()).toBe(2 * MINUTE);
    world.pass(MINUTE);
    await world.tick(START + MINUTE);
    expect(world.slots()).toEqual(every10(120, 180));
  });

  it('sends nothing when repeated, or when it arrives after a later one', async () => {
    const world = await shard();
    await world.tick(START + MINUTE);
    world.slots();
    await world.tick(START + MINUTE);
    await world.tick(START);
    expect(world.slots()).toEqual([]);
    expect(await world.watermark()).toBe(3 * MINUTE);
  });

  it('sends the slots of a missed tick too', async () => {
    const world = await shard();
    await world.tick(START);
    world.slots();
    world.pass(2 * MINUTE - 1);
    await world.tick(START + 2 * MINUTE);
    expect(world.slots()).toEqual(every10(120, 240));
    expect(await lastOutageEnd(world, 0)).toBe(0);
  });

  it('keeps the watermark when it could not send, so that the next tick sends all', async () => {
    const world = await shard();
    world.refuse(true);
    await expect(world.tick(START)).rejects.toThrow('The queue is full.');
    expect(await world.watermark()).toBe(-START);
    world.refuse(false);
    await world.tick(START);
    expect(world.slots()).toEqual(every10(0, 120));
  });

  it('records an outage and continues at the latest slot', async () => {
    const world = await shard();
    await world.tick(START);
    world.slots();
    world.pass(10 * MINUTE);
    await world.tick(START + 10 * MINUTE);
    expect(world.slots()).toEqual([593, ...every10(600, 720)]);
    const outage = { from: START + 2 * MINUTE, to: START + 10 * MINUTE };
    expect(await outagesBetween(world, 0, START, START + 20 * MINUTE)).toEqual([outage]);
  });

  it('emits a deadline at every tick from two minutes before it is due until it is moved', async () => {
    const world = await shard();
    const deadline = {
      kind: 'missed_heartbeat',
      tenant_id: 'acc_a',
      entity_id: 'ent_a',
      check_id: 'chk_a',
      at: START + 90_000,
    };
    for (const minute of [0, 1, 2, 3]) {
      await world.tick(START + minute * MINUTE);
      const due = Math.max(deadline.at, START + minute * MINUTE);
      const not_before = minute === 0 ? due : due + 2 * GROUP_MS;
      expect(world.deadlines().at(-1)).toEqual({ body: { deadlines: [deadline] }, not_before });
      expect(world.deadlines()).toHaveLength(minute + 1);
      world.pass(MINUTE);
    }
  });
});

describe('after the clock was set back by an hour', () => {
  const HOUR = 60 * MINUTE;
  const ahead = async () => {
    const world = await shard();
    await world.tick(START);
    world.slots();
    world.pass(-HOUR);
    return world;
  };

  it('the next tick continues at the present time, logs an error, and sets the watermark', async () => {
    const world = await ahead();
    await world.tick(START - HOUR);
    expect(world.slots()).toEqual(every10(-3600, -3480));
    expect(await world.watermark()).toBe(2 * MINUTE - HOUR);
    expect(world.log.lines.filter(({ level }) => level === 'error')).toMatchObject([
      { fields: { shard: 0, emitted_until: '2026-11-21T05:02:00.000Z', now: '2026-11-21T04:00:00.000Z' } },
    ]);
    world.pass(MINUTE);
    await world.tick(START - HOUR + MINUTE);
    expect(world.slots()).toEqual(every10(-3480, -3420));
  });

  it('the time before that tick does not count as monitored', async () => {
    const world = await ahead();
    await world.tick(START - HOUR);
    expect(await lastOutageEnd(world, 0)).toBe(START - HOUR);
  });

  it('treats a tick of the wrong clock as at most a minute ahead', async () => {
    const world = await ahead();
    await world.tick(START + MINUTE);
    expect(await world.watermark()).toBe(3 * MINUTE - HOUR);
    await world.tick(START + 2 * MINUTE);
    expect(await world.watermark()).toBe(3 * MINUTE - HOUR);
  });

  it('the writer of an entry sends only jobs due within the maximum wait of a message, before and after that tick', async () => {
    const world = await ahead();
    expect(await writerSendsUntil(world, 0)).toBe(START - HOUR + 4 * MINUTE);
    await world.tick(START - HOUR);
    expect(await writerSendsUntil(world, 0)).toBe(START - HOUR + 4 * MINUTE);
  });

  it('moves to earlier times the deadlines and probe entries that the wrong clock wrote', async () => {
    const world = await ahead();
    const { table } = world.ports;
    const other = { ...cell, cell: 'cellb', interval_seconds: 60 };
    const late = probeEntry(world.keys, other, 'v1', { from: START + 4 * MINUTE, checks: 1 });
    late.rhythm.phase = 5000;
    await table.putMany([late, deadlineEntry(world.keys, 'reminder', owner, 'v1', START, { out_of_order: true })]);
    await world.tick(START - HOUR);
    expect(world.slots()).toContain(-3595);
    const { items } = await table.query<EntryItem>({ partition: world.keys.entries(0) });
    expect(items.find(({ kind }) => kind === 'missed_heartbeat')).toMatchObject({ deadline: START - HOUR + 90_000 });
    expect(items.find(({ kind }) => kind === 'reminder')).toMatchObject({
      deadline: START - HOUR,
      note: { out_of_order: true },
    });
    expect(items.find((item) => item.kind === 'probe' && item.cell === 'cellb')).toMatchObject({ from: START - HOUR });
  });
});

it('works normally when the ticks are slightly ahead of the clock', async () => {
  const world = await shard();
  await world.tick(START + 30_000);
  world.slots();
  world.pass(MINUTE);
  await world.tick(START + 90_000);
  expect(world.slots()).toEqual(every10(150, 210));
  expect(world.log.lines).toEqual([]);
});
