import { queues as specs } from '#infra/topology.ts';
import { sqsQueues } from '#lib/aws/sqs-queues.ts';
import { systemClock } from '#lib/platform/clock.ts';
import { makeIds } from '#lib/platform/ids.ts';
import { NO_LINEAGE } from '#test/support/lineage.ts';
import { queueContract } from '#test/support/queue-contract.ts';
import { sqsEventSource } from '#test/support/sqs-event-source.ts';
import { makeClients } from './clients.ts';
import { makeMeter } from './meter.ts';

const pollers = () => ({ min: 2, max: specs.delivery.concurrency, every_ms: 0 });

queueContract('SQS of the simulation and the cost bench', async (consume) => {
  let stopped = false;
  const at = (time: number, work: () => void) =>
    void setTimeout(
      () => {
        if (!stopped) work();
      },
      Math.max(0, time - Date.now()),
    );
  const source = sqsEventSource('delivery', {
    clock: { now: Date.now, at },
    pollers,
    backAt: () => Date.now() + 5,
    run: (_queue, _batch, Records) => consume({ Records }).catch(() => undefined),
  });
  source.start();
  const send = (_queue: string, messages: { body: string; delay_ms: number }[]) => {
    for (const { body, delay_ms } of messages) source.send(body, Date.now() + delay_ms);
  };
  const { sqs } = makeClients(
    { table: () => ({ status: 200, body: {}, capacity: { reads: 0, writes: 0 } }), send },
    makeMeter(),
    { uncharged: (work) => work(), sleep: async () => {} },
    { cpu_ms: 0, path: 'test', lineage: NO_LINEAGE },
  );
  const urls = { delivery: 'https://aws.test/queues/delivery' };
  return {
    queues: sqsQueues({ client: sqs, urls, clock: systemClock, ids: makeIds(systemClock) }),
    stop: async () => {
      stopped = true;
    },
  };
});
