import { marshall } from '@aws-sdk/util-dynamodb';
import { isFor, streams } from '#infra/topology.ts';
import type { BatchReply } from '#lib/platform/batch.ts';
import type { Item } from '#lib/platform/ports.ts';
import { streamEventSource } from '#test/support/stream-event-source.ts';
import type { machines } from './machines.ts';
import { count } from './observations.ts';
import type { Shared } from './process.ts';

const SHARDS = 2;

/** Creates the change stream of the table, which is read late, in batches of 1 to 10 records, and sometimes twice. */
export function virtualStream(shared: Shared, invoke: ReturnType<typeof machines>['invoke'], isRunning: () => boolean) {
  const { random, clock, seen } = shared;
  const source = streamEventSource({
    clock,
    shards: SHARDS,
    isOpen: isRunning,
    most: () => random.int(1, 10),
    lag: () => random.int(5, 400),
    pause: (advanced) => (advanced ? 5 : random.int(100, 5000)),
    replays: () => {
      const again = random.chance(shared.profile.duplicate);
      if (again) count(seen, 'stream batch twice');
      return again;
    },
    run: async ({ function: name }, Records) => {
      const reader = name as 'notifier' | 'action-planner';
      // Order is guaranteed per item only, and every item is inserted once.
      if (random.chance(0.5)) Records.reverse();
      const done = await invoke<BatchReply>(reader, (handlers) => handlers[reader]({ Records }));
      const failures = done?.reply.batchItemFailures.length ?? 0;
      if (failures > 0 && failures < Records.length) count(seen, 'part of a stream batch failed');
      // The reader cannot write its checkpoint on a full disk, so the batch is read again.
      return shared.storeSpell() === 'disk full' ? undefined : done?.reply;
    },
  });

  return {
    /** Called by the table for each new item; readers receive only items of their prefixes. */
    inserted: (item: Item): void => {
      if (streams.some((stream) => isFor(stream, item.sk)))
        source.inserted(marshall(item, { removeUndefinedValues: true }));
    },
    wakeAll: source.wake,
  };
}
