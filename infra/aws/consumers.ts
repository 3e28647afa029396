import { Duration } from 'aws-cdk-lib';
import { SqsEventSource } from 'aws-cdk-lib/aws-lambda-event-sources';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import { queues as specs } from '#infra/topology.ts';
import type { QueueName } from '#lib/messages.ts';
import { boundsOf, MAX_BATCH } from './event-source-limits.ts';
import type { Functions } from './functions.ts';
import type { DeploySettings } from './settings.ts';

/** Connects every queue of the topology to its function. */
export function makeConsumers(
  queues: Record<QueueName, Queue>,
  functions: Functions,
  { CONCURRENCY }: Pick<DeploySettings, 'CONCURRENCY'>,
): void {
  const bounds = boundsOf(CONCURRENCY);
  for (const [name, { consumer, batch }] of Object.entries(specs)) {
    const bound = bounds[name as QueueName];
    functions[consumer].addEventSource(
      new SqsEventSource(queues[name as QueueName], {
        batchSize: Math.min(MAX_BATCH, batch),
        maxBatchingWindow: Duration.seconds(0),
        reportBatchItemFailures: true,
        // Not reserved concurrency, because throttled receives count towards the maximum.
        ...(bound !== undefined && { maxConcurrency: bound }),
      }),
    );
  }
}
