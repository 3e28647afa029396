import { describe, expect, it } from 'vitest';
import { streams } from '#infra/topology.ts';
import type { BatchReply } from '#lib/platform/batch.ts';
import { type StreamRecord, type StreamWorld, streamEventSource } from '#test/support/stream-event-source.ts';
import { makeClock } from '#test/support/virtual-clock.ts';

const [first] = streams;
const again = ({ dynamodb }: StreamRecord): BatchReply => ({
  batchItemFailures: [{ itemIdentifier: dynamodb.SequenceNumber }],
});
const nothing: BatchReply = { batchItemFailures: [] };

/** Reads a stream of one shard. `batches`: sort keys of the items in each batch of the first reader. */
function read(run: (records: StreamRecord[]) => BatchReply | undefined, more: Partial<StreamWorld> = {}) {
  const clock = makeClock(0);
  const batches: string[][] = [];
  const source = streamEventSource({
    clock,
    shards: 1,
    lag: () => 100,
    pause: () => 100,
    run: async (stream, records) => {
      if (stream !== first) return nothing;
      batches.push(records.map(({ dynamodb }) => dynamodb.NewImage.sk!.S!));
      return run(records);
    },
    ...more,
  });
  const insert = (...keys: string[]) => {
    for (const sk of keys) source.inserted({ pk: { S: 'p' }, sk: { S: sk } });
  };
  return { clock, source, batches, insert };
}

describe('emulated change stream', () => {
  it('delivers to each reader the new items of its prefix, in one batch and in order', async () => {
    const { clock, batches, insert } = read(() => nothing);
    insert('TR#1', 'R#1', 'TR#2');
    await clock.runUntil(5000);
    expect(batches).toEqual([['TR#1', 'TR#2']]);
  });

  it('retries failed records with all later ones', async () => {
    let runs = 0;
    const { clock, batches, insert } = read((records) => (++runs === 1 ? again(records[1]!) : nothing));
    insert('TR#1', 'TR#2', 'TR#3');
    await clock.runUntil(100);
    insert('TR#4');
    await clock.runUntil(5000);
    expect(batches).toEqual([
      ['TR#1', 'TR#2', 'TR#3'],
      ['TR#2', 'TR#3', 'TR#4'],
    ]);
  });

  it('delivers nothing until it is opened, and retries a whole batch without a response', async () => {
    let isOpen = false;
    let runs = 0;
    const { clock, source, batches, insert } = read(() => (++runs === 1 ? undefined : nothing), {
      isOpen: () => isOpen,
    });
    insert('TR#1');
    await clock.runUntil(1000);
    expect(batches).toEqual([]);
    isOpen = true;
    source.wake();
    await clock.runUntil(5000);
    expect(batches).toEqual([['TR#1'], ['TR#1']]);
  });
});
