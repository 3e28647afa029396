import { Duration } from 'aws-cdk-lib';
import { SqsEventSource } from 'aws-cdk-lib/aws-lambda-event-sources';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import { queues as specs } from '#infra/topology.ts';
import type { QueueName } from '#lib/messages.ts';
import { namesOf } from '#lib/platform/plain-data.ts';
import { boundsOf, MAX_BATCH } from './event-source-limits.ts';
import type { Functions } from './functions.ts';
import type { DeploySettings } from './settings.ts';

/** Connects every queue of the topology to its function. @returns the ids of the event sources */
export function makeConsumers(
  queues: Record<QueueName, Queue>,
  functions: Functions,
  { CONCURRENCY }: Pick<DeploySettings, 'CONCURRENCY'>,
): Record<QueueName, string> {
  const bounds = boundsOf(CONCURRENCY);
  const created = namesOf(specs).map((name) => {
    const { consumer, batch } = specs[name];
    const bound = bounds[name];
    const source = new SqsEventSource(queues[name], {
      batchSize: Math.min(MAX_BATCH, batch),
      maxBatchingWindow: Duration.seconds(0),
      reportBatchItemFailures: true,
      // Not reserved concurrency, because receives that it throttles count toward `max_receives`.
      ...(bound !== undefined && { maxConcurrency: bound }),
    });
    functions[consumer].addEventSource(source);
    return [name, source.eventSourceMappingId];
  });
  return Object.fromEntries(created);
}
