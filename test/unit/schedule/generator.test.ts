import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import { create } from '#functions/generator.ts';
import { openTable } from '#infra/local/store/sqlite-table.ts';
import type { Ports } from '#lib/env.ts';
import { keyTable } from '#lib/keys.ts';
import type { MessageOf } from '#lib/messages.ts';
import { makeNet } from '#lib/net/node-net.ts';
import type { Message } from '#lib/platform/ports.ts';
import { iso } from '#lib/platform/time.ts';
import { probeEntry } from '#lib/schedule/entries.ts';
import { readWatermark } from '#lib/schedule/watermark.ts';
import { readSettings } from '#lib/settings.ts';
import { memoryLog } from '#test/support/log.ts';
import { queueRecord } from '#test/support/queue-record.ts';
import { repeatableIds } from '#test/support/random.ts';

const START = Date.UTC(2026, 10, 21, 5);

/** Creates the generator, and a cell in each shard. All cells are due every minute at the same second. */
async function fleet(shards: number, table = openTable({ file: ':memory:' }), more: Record<string, string> = {}) {
  const settings = readSettings({ SHARDS: String(shards), ...more });
  const keys = keyTable(settings);
  const clock = { now: () => START, sleep: async () => {} };
  const sent: { queue: string; body: unknown }[] = [];
  const queues = {
    send: async (queue: string, messages: Message[]) => {
      sent.push(...messages.map(({ body }) => ({ queue, body })));
    },
  };
  const log = memoryLog();
  const ports = {
    table,
    queues,
    clock,
    ids: repeatableIds(clock),
    log,
    net: makeNet(settings),
    settings,
  } as unknown as Ports;
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
    log,
    cells,
    sent,
    tick,
    watermarks: () => Promise.all(keys.shards.map((shard) => readWatermark({ ports, keys }, shard))),
  };
}

describe('OUTER_PING_URL', () => {
  /** Starts an outer monitor that answers with the status. */
  async function monitor(status: number) {
    const asked: string[] = [];
    const server = createServer((request, response) => {
      asked.push(`${request.method} ${request.url}`);
      response.writeHead(status).end();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    return { asked, url: `http://127.0.0.1:${port}/ping/secret`, stop: () => server.close() };
  }

  it('is requested once after a successful tick, for few shards and for many', async () => {
    const { asked, url, stop } = await monitor(200);
    const few = await fleet(4, undefined, { OUTER_PING_URL: url });
    expect(await few.tick({ scheduled_time: iso(START) })).toBe(true);
    expect(asked).toEqual(['GET /ping/secret']);
    const many = await fleet(8, undefined, { OUTER_PING_URL: url });
    await many.tick({ scheduled_time: iso(START) });
    expect(asked).toHaveLength(1);
    for (let shard = 0; shard < 8; shard++) await many.tick({ scheduled_time: iso(START), shard });
    expect(asked).toHaveLength(2);
    stop();
  });

  it('is not requested after a failed tick', async () => {
    const { asked, url, stop } = await monitor(200);
    const { table, tick: first } = await fleet(4);
    await first({ scheduled_time: iso(START) });
    // The tick fails, because the table has another number of shards.
    const { tick } = await fleet(2, table, { OUTER_PING_URL: url });
    expect(await tick({ scheduled_time: iso(START) })).toBe(false);
    expect(asked).toEqual([]);
    stop();
  });

  it('logs a failed request without its secret, and the tick succeeds', async () => {
    const { url, stop } = await monitor(500);
    const refused = await fleet(4, undefined, { OUTER_PING_URL: url });
    expect(await refused.tick({ scheduled_time: iso(START) })).toBe(true);
    stop();
    const gone = await fleet(4, undefined, { OUTER_PING_URL: 'http://127.0.0.1:1/ping/secret' });
    expect(await gone.tick({ scheduled_time: iso(START) })).toBe(true);
    const logged = [...refused.log.lines, ...gone.log.lines];
    expect(logged.map(({ message, fields }) => [message, fields])).toEqual([
      ['outer ping refused', { status: 500 }],
      ['outer ping failed', { error: 'connect' }],
    ]);
    expect(JSON.stringify(logged)).not.toContain('/ping/secret');
  });
});

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
  ])('fails for a table with %i shards when the setting is %i, until the setting is right', async (was, is) => {
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
