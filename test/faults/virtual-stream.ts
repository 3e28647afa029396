import { marshall } from '@aws-sdk/util-dynamodb';
import { streams } from '#infra/topology.ts';
import type { BatchReply } from '#lib/platform/batch.ts';
import { hash32 } from '#lib/platform/ids.ts';
import type { Item } from '#lib/platform/ports.ts';
import type { machines } from './machines.ts';
import { count } from './observations.ts';
import type { Shared } from './process.ts';

type Shard = {
  reader: 'notifier' | 'action-planner';
  shard: number;
  records: Item[];
  from: number;
  busy: boolean;
};

const SHARDS = 2;

/** The table's change stream, which replays: what failed comes again together with all that followed it. */
export function virtualStream(shared: Shared, invoke: ReturnType<typeof machines>['invoke'], isRunning: () => boolean) {
  const { random, clock, seen } = shared;
  const shards: Shard[] = streams.flatMap(({ function: reader }) =>
    Array.from({ length: SHARDS }, (_, shard) => ({
      reader: reader as Shard['reader'],
      shard,
      records: [],
      from: 0,
      busy: false,
    })),
  );

  /** A shard's next batch; behind it the next. */
  async function readOn(shard: Shard): Promise<void> {
    if (!isRunning() || shard.busy || shard.from >= shard.records.length) return;
    shard.busy = true;
    const from = shard.from;
    const items = shard.records.slice(from, from + random.int(1, 10));
    const Records = items.map((item, i) => ({
      eventName: 'INSERT',
      dynamodb: { SequenceNumber: String(from + i), NewImage: marshall(item, { removeUndefinedValues: true }) },
    }));
    // Order holds per item only, and every item is inserted once.
    if (random.chance(0.5)) Records.reverse();
    const done = await invoke<BatchReply>(shard.reader, (handlers) => handlers[shard.reader]({ Records } as never));
    const failures = (done?.reply.batchItemFailures ?? []).map((failure) => Number(failure.itemIdentifier));
    if (failures.length > 0 && failures.length < items.length) count(seen, 'part of a stream batch failed');
    // A checkpoint is a write as well.
    const isLost = !done || shared.storeSpell() === 'disk full';
    const next = isLost ? from : failures.length > 0 ? Math.min(...failures) : from + items.length;
    const again = next > from && random.chance(shared.profile.duplicate);
    if (again) count(seen, 'stream batch twice');
    shard.from = again ? from : next;
    shard.busy = false;
    clock.at(clock.now() + (next > from ? 5 : random.int(100, 5000)), () => readOn(shard));
  }

  return {
    /** For the table: a new item, which may be a change that somebody reads. */
    inserted: (item: Item): void => {
      if (!streams.some((stream) => item.sk.startsWith(stream.sk_prefix))) return;
      for (const shard of shards) {
        if (shard.shard !== hash32(item.pk) % SHARDS) continue;
        shard.records.push(item);
        clock.at(clock.now() + random.int(5, 400), () => readOn(shard));
      }
    },
    wakeAll: (): void => {
      for (const shard of shards) readOn(shard);
    },
  };
}
