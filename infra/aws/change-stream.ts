import { Duration } from 'aws-cdk-lib';
import type { ITable, ITableV2 } from 'aws-cdk-lib/aws-dynamodb';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import { FilterCriteria, FilterRule, StartingPosition } from 'aws-cdk-lib/aws-lambda';
import { DynamoEventSource, SqsDlq } from 'aws-cdk-lib/aws-lambda-event-sources';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import { streams } from '#infra/topology.ts';
import type { Functions } from './functions.ts';
import { makeDeadLetters } from './queues.ts';

/**
 * Hands new items of the table to the functions that the topology names.
 * @returns the queues of what could not be handed over for a whole day
 */
export function makeChangeStream(
  scope: Construct,
  table: ITableV2,
  functions: Functions,
  key: IKey | undefined,
): Queue[] {
  return streams.map(({ name, function: reader, sk_prefixes, batch }) => {
    const dead = makeDeadLetters(scope, `stream-${name}`, key);
    functions[reader].addEventSource(
      // An ITableV2 is an ITable; only its own declarations disagree on what may be undefined.
      new DynamoEventSource(table as ITable, {
        startingPosition: StartingPosition.TRIM_HORIZON,
        batchSize: batch,
        maxBatchingWindow: Duration.seconds(0),
        reportBatchItemFailures: true,
        bisectBatchOnError: true,
        // A record that fails is parked by its function; only when even that fails does the shard wait.
        retryAttempts: -1,
        maxRecordAge: Duration.days(1),
        onFailure: new SqsDlq(dead),
        // One that fits any of them.
        filters: sk_prefixes.map((prefix) =>
          FilterCriteria.filter({
            eventName: FilterRule.isEqual('INSERT'),
            dynamodb: { NewImage: { sk: { S: FilterRule.beginsWith(prefix) } } },
          }),
        ),
      }),
    );
    return dead;
  });
}
