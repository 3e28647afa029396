import { describe, expect, it } from 'vitest';
import { create } from '#functions/generator.ts';
import { openTable } from '#infra/local/store/sqlite-table.ts';
import type { Ports } from '#lib/env.ts';
import { keyTable } from '#lib/keys.ts';
import type { MessageOf } from '#lib/messages.ts';
import type { Message } from '#lib/platform/ports.ts';
import { iso } from '#lib/platform/time.ts';
import { probeEntry } from '#lib/schedule/entries.ts';
import { readWatermark } from '#lib/schedule/watermark.ts';
import { readSettings } from '#lib/settings.ts';
import { memoryLog } from '#test/support/log.ts';
import { queueRecord } from '#test/support/queue-record.ts';
import { repeatableIds } from '#test/support/random.ts';

const START = Date.UTC(2026, 10, 21, 5);

/** Cells due every minute at the same second, each in its own shard; and the generator. */
async function fleet(shards: number, table = openTable({ file: ':memory:' })) {
  const settings = readSettings({ SHARDS: String(shards) });
  const keys = keyTable(settings);
  const clock = { now: () => START, sleep: async () => {} };
  const sent: { queue: string; body: unknown }[] = [];
  const queues = {
    send: async (queue: string, messages: Message[]) => {
      sent.push(...messages.map(({ body }) => ({ queue, body })));
    },
  };
  const ports = { table, queues, clock, ids: repeatableIds(clock), log: memoryLog(), settings } as unknown as Ports;
  const cells = keys.shards.map((shard) => {
    let number = 0;
    while (keys.shardOf(`cell${number}`) !== shard) number++;
    return `cell${number}`;
  });
  const rhythm = { phase: 3000, interval_ms: 60_000 };
  const from = START - 60_000;
  await table.putMany(
    cells.map((cell) => {
      const own = { tenant_id: 'acc_a', cell, interval_seconds: 60 };
      return { ...probeEntry(keys, own, 'v1', { from, checks: 5 }), rhythm };
    }),
  );
  const generator = create(ports);
  const tick = async (body: object) => {
    const reply = await generator({ Records: [queueRecord('m', body)] });
    return reply.batchItemFailures.length === 0;
  };
  return {
    table,
    cells,
    sent,
    tick,
    watermarks: () => Promise.all(keys.shards.map((shard) => readWatermark({ ports, keys }, shard))),
  };
}

describe('a tick', () => {
  it('sends the jobs of four shards in common messages, each once', async () => {
    const { cells, sent, tick, watermarks } = await fleet(4);
    expect(await tick({ scheduled_time: iso(START) })).toBe(true);
    const messages = sent.map(({ body }) => (body as MessageOf<'job'>).jobs.map((job) => job.cell).sort());
    expect(messages).toEqual([0, 60].map(() => cells.toSorted()));
    for (const watermark of await watermarks()) expect(watermark?.at).toBe(START + 120_000);
    expect(await tick({ scheduled_time: iso(START) })).toBe(true);
    expect(sent).toHaveLength(2);
  });

  it('is split into one message per shard for more shards', async () => {
    const { cells, sent, tick } = await fleet(5);
    expect(await tick({ scheduled_time: iso(START) })).toBe(true);
    expect(sent).toEqual(
      [0, 1, 2, 3, 4].map((shard) => ({ queue: 'tick', body: { scheduled_time: iso(START), shard } })),
    );
    expect(await tick(sent[3]!.body as object)).toBe(true);
    expect(sent.slice(5).map(({ body }) => (body as MessageOf<'job'>).jobs.map((job) => job.cell))).toEqual([
      [cells[3]],
      [cells[3]],
    ]);
  });

  it.each([
    [4, 2],
    [4, 3],
    [2, 4],
    [3, 8],
  ])('fails for a table with %i shards when the setting is %i, until it is right', async (was, is) => {
    const before = await fleet(was);
    expect(await before.tick({ scheduled_time: iso(START) })).toBe(true);
    const changed = await fleet(is, before.table);
    const later = iso(START + 60_000);
    const shards = is > 4 ? Array.from({ length: is }, (_, shard) => shard) : [undefined];
    for (const shard of shards) expect(await changed.tick({ scheduled_time: later, shard })).toBe(false);
    expect(changed.sent).toEqual([]);
    expect(await before.tick({ scheduled_time: later })).toBe(true);
    expect(before.sent).toHaveLength(3);
  });
});
