import { Duration } from 'aws-cdk-lib';
import { SqsEventSource } from 'aws-cdk-lib/aws-lambda-event-sources';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import { queues as specs } from '#infra/topology.ts';
import type { QueueName } from '#lib/messages.ts';
import type { Functions } from './functions.ts';

/** SQS hands over ten messages at once without waiting for more, and two batches at the same time at the least. */
const LARGEST_BATCH = 10;
const LEAST_CONCURRENCY = 2;

/** Feeds every queue of the topology to its function. */
export function makeConsumers(queues: Record<QueueName, Queue>, functions: Functions): void {
  for (const [name, { consumer, batch, concurrency }] of Object.entries(specs)) {
    functions[consumer].addEventSource(
      new SqsEventSource(queues[name as QueueName], {
        batchSize: Math.min(LARGEST_BATCH, batch),
        maxBatchingWindow: Duration.seconds(0),
        reportBatchItemFailures: true,
        // Not a reservation of the function's: those burn receives while they throttle.
        maxConcurrency: Math.max(LEAST_CONCURRENCY, concurrency),
      }),
    );
  }
}
