import { writeSync } from 'node:fs';
import { startConsumers } from '#infra/local/feeds/consumers.ts';
import { makeQueues } from '#infra/local/feeds/queues.ts';
import { openStore } from '#infra/local/store/store.ts';
import { memoryLog } from '#test/support/log.ts';

// Four senders, and a consumer that never ends a batch. Each sender prints a line per acknowledged message.
const world = { clock: { now: Date.now }, log: memoryLog() };
const queues = makeQueues(openStore({ file: process.argv[2]! }), world);
startConsumers(queues, { deliverer: () => new Promise(() => {}) }, world);

async function sender(name: number): Promise<never> {
  for (let n = 0; ; n++) {
    const body = `${name}-${n}`;
    await queues.send('delivery', [{ body }]);
    writeSync(1, `${body}\n`);
  }
}

await Promise.all([1, 2, 3, 4].map(sender));
