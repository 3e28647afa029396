import type { SQSEvent } from 'aws-lambda';
import { vi } from 'vitest';
import { startConsumers } from '#infra/local/feeds/consumers.ts';
import { makeQueues } from '#infra/local/feeds/queues.ts';
import type { Invocation } from '#infra/local/invoke.ts';
import { openStore } from '#infra/local/store/store.ts';
import { memoryLog } from '#test/support/log.ts';

export const clock = { now: () => Date.now() };

/** Creates queues in memory with a clock that the test moves; a commit takes a microtask. */
export function queueWorld(consume: (event: SQSEvent, context: Invocation) => Promise<unknown>) {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date', 'performance'] });
  const store = openStore({ file: ':memory:', schedule: queueMicrotask });
  const log = memoryLog();
  const queues = makeQueues(store, { clock, log });
  const consumers = startConsumers(queues, { deliverer: consume }, { clock, log });
  return { queues, consumers, log, store };
}

/** Function that fails on each of its messages. */
export const failAll = async ({ Records }: SQSEvent) => ({
  batchItemFailures: Records.map((record) => ({ itemIdentifier: record.messageId })),
});
