import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DynamoDBRecord, DynamoDBStreamEvent } from 'aws-lambda';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { startChangeStream } from '#infra/local/feeds/change-stream.ts';
import type { Feed } from '#infra/local/feeds/feeds.ts';
import type { Handler } from '#infra/local/invoke.ts';
import { openTable } from '#infra/local/store/sqlite-table.ts';
import { streams } from '#infra/topology.ts';
import { newImage, sequenceOf } from '#lib/aws/stream-record.ts';
import type { Item } from '#lib/platform/ports.ts';
import { runUntilKilled } from '#test/infra/local/killed/killed-child.ts';
import { memoryLog } from '#test/support/log.ts';

type Consume = (event: DynamoDBStreamEvent) => Promise<unknown>;

/** Other readers of the topology, which accept everything at once. */
const others = Object.fromEntries(streams.map((stream) => [stream.function, async () => undefined]));

const { batch } = streams.find((stream) => stream.name === 'notifier')!;

afterEach(() => {
  vi.useRealTimers();
});

/** Creates a table in memory whose changes several streams can read in turn, as after restarts. */
function world() {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  let stream: Feed | undefined;
  const log = memoryLog();
  const table = openTable({ file: ':memory:', schedule: queueMicrotask, onInserted: () => stream?.wake() });
  return {
    table,
    log,
    start: (consume: Consume) => {
      stream = startChangeStream(table.store, { ...others, notifier: consume as Handler }, log);
      return stream;
    },
    add: (...names: string[]) =>
      table.transact(
        names.map((name) => ({ put: { pk: 'p', sk: `TR#${name}`, name } as Item, if: 'absent' as const })),
      ),
    kept: () => table.store.db.prepare('SELECT count(*) AS n FROM changes').get()!.n,
  };
}

const nameOf = (record: DynamoDBRecord) => newImage<Item & { name: string }>(record as never).name;

describe('startChangeStream', () => {
  it('delivers a new transition at once, as DynamoDB streams do', async () => {
    const seen: DynamoDBRecord[] = [];
    const { table, start } = world();
    start(async ({ Records }) => seen.push(...Records));
    const item = { pk: 'p', sk: 'TR#1', v: '1', list: [1, { a: null }], on: true } as Item;
    await table.transact([{ put: item, if: 'absent' }]);
    await vi.advanceTimersByTimeAsync(0);
    expect(seen).toMatchObject([
      {
        eventName: 'INSERT',
        eventSource: 'aws:dynamodb',
        eventSourceARN: expect.stringContaining(':dynamodb:'),
        dynamodb: {
          Keys: { pk: { S: 'p' }, sk: { S: 'TR#1' } },
          NewImage: { list: { L: [{ N: '1' }, { M: { a: { NULL: true } } }] }, on: { BOOL: true } },
          SequenceNumber: expect.stringMatching(/^\d{21}$/),
          StreamViewType: 'NEW_IMAGE',
        },
      },
    ]);
    expect(newImage(seen[0] as never)).toEqual(item);
    table.store.close();
  });

  it('keeps the commit order, in batches up to the size in the topology', async () => {
    const seen: string[] = [];
    const { add, start } = world();
    const names = Array.from({ length: batch * 2 + 50 }, (_, i) => `n${i}`);
    for (let from = 0; from < names.length; from += 50) await add(...names.slice(from, from + 50));
    start(async ({ Records }) => {
      expect(Records.length).toBeLessThanOrEqual(batch);
      seen.push(...Records.map(nameOf));
    });
    await vi.waitFor(() => expect(seen).toEqual(names));
  });

  it('continues after the processed changes and deletes them', async () => {
    const seen: string[] = [];
    const consume: Consume = async ({ Records }) => seen.push(...Records.map(nameOf));
    const { add, start, kept } = world();
    const first = start(consume);
    await add('a', 'b');
    await vi.advanceTimersByTimeAsync(0);
    await first.stop();
    expect(kept()).toBe(0);
    await add('c');
    start(consume);
    await vi.waitFor(() => expect(seen).toEqual(['a', 'b', 'c']));
  });

  it('delivers changes in flight again after the process ended', async () => {
    const seen: string[] = [];
    const { add, start } = world();
    start(() => new Promise(() => {}));
    await add('a');
    await vi.advanceTimersByTimeAsync(0);
    start(async ({ Records }) => seen.push(...Records.map(nameOf)));
    await vi.waitFor(() => expect(seen).toEqual(['a']));
  });

  it('resumes at the first record that failed', async () => {
    const batches: string[][] = [];
    const { add, start, log } = world();
    start(async ({ Records }) => {
      batches.push(Records.map(nameOf));
      if (batches.length > 1) return { batchItemFailures: [] };
      return {
        batchItemFailures: [Records[2]!, Records[1]!].map((one) => ({ itemIdentifier: sequenceOf(one as never) })),
      };
    });
    await add('a', 'b', 'c');
    await vi.advanceTimersByTimeAsync(100);
    expect(batches).toEqual([
      ['a', 'b', 'c'],
      ['b', 'c'],
    ]);
    expect(log.lines).toMatchObject([{ level: 'error', fields: { consumer: 'notifier' } }]);
  });

  it('retries a batch after growing pauses, before newer changes', async () => {
    const at: number[] = [];
    const seen: string[] = [];
    const { add, start } = world();
    const begin = performance.now();
    start(async ({ Records }) => {
      at.push(Math.round(performance.now() - begin));
      if (at.length < 5) throw new Error('out of order');
      seen.push(...Records.map(nameOf));
    });
    await add('a');
    await vi.advanceTimersByTimeAsync(50);
    await add('b');
    await vi.advanceTimersByTimeAsync(5000);
    expect(at).toEqual([0, 100, 300, 700, 1500]);
    expect(seen).toEqual(['a', 'b']);
  });

  it('retries everything when the function names an unknown record', async () => {
    let runs = 0;
    const { add, start } = world();
    start(async () => ({ batchItemFailures: runs++ === 0 ? [{ itemIdentifier: 'x' }] : [] }));
    await add('a');
    await vi.advanceTimersByTimeAsync(1000);
    expect(runs).toBe(2);
  });

  it('keeps a change until its last reader is done, without delaying other readers', async () => {
    const seen: string[] = [];
    const { table, add, kept } = world();
    const consume: Consume = async ({ Records }) => seen.push(...Records.map(nameOf));
    const stuck: Handler = () => new Promise(() => {});
    await add('a');
    startChangeStream(table.store, { notifier: consume as Handler, 'action-planner': stuck }, memoryLog());
    await vi.waitFor(() => expect(seen).toEqual(['a']));
    expect(kept()).toBe(1);
  });

  it('does not read the store while nothing changes', async () => {
    const { add, start, table } = world();
    start(async () => undefined);
    await add('a');
    await vi.advanceTimersByTimeAsync(1000);
    const read = vi.spyOn(table.store, 'read');
    expect(vi.getTimerCount()).toBe(0);
    await vi.advanceTimersByTimeAsync(3_600_000);
    expect(read).not.toHaveBeenCalled();
  });

  it('finishes the batch in flight when it is stopped', async () => {
    let release = () => {};
    const { add, start, kept } = world();
    const stream = start(
      () =>
        new Promise<void>((resolve) => {
          release = resolve;
        }),
    );
    await add('a');
    await vi.advanceTimersByTimeAsync(0);
    const stopped = stream.stop();
    release();
    await stopped;
    expect(kept()).toBe(0);
  });

  it('loses no change through a kill -9 and continues after the last finished batch', async () => {
    const dir = mkdtempSync(join(tmpdir(), 'fleetwatch-stream-'));
    const file = join(dir, 'killed.db');
    const lines = await runUntilKilled('change-forever.ts', [file], 600);
    const written = lines.filter((line) => line.startsWith('written ')).map((line) => line.slice(8));
    const done = new Set(lines.filter((line) => line.startsWith('done ')).map((line) => line.slice(5)));
    expect(done.size).toBeGreaterThan(0);
    const seen: string[] = [];
    const table = openTable({ file });
    const consume: Consume = async ({ Records }) => seen.push(...Records.map(nameOf));
    const stream = startChangeStream(table.store, { notifier: consume as Handler }, memoryLog());
    await vi.waitFor(() => expect(written.filter((name) => !done.has(name) && !seen.includes(name))).toEqual([]));
    await stream.stop();
    // At least once: only changes in flight may be delivered twice.
    expect(seen.filter((name) => done.has(name)).length).toBeLessThanOrEqual(batch);
    table.store.close();
    rmSync(dir, { recursive: true });
  });
});
