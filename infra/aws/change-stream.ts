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

/** Connects new items to the functions of the topology. @returns dead-letter queues of records that failed for a day */
export function makeChangeStream(
  scope: Construct,
  table: ITableV2,
  functions: Functions,
  key: IKey | undefined,
): Queue[] {
  return streams.map(({ name, function: reader, sk_prefixes, batch }) => {
    const dead = makeDeadLetters(scope, `stream-${name}`, key);
    functions[reader].addEventSource(
      // An ITableV2 is an ITable; only their declarations differ, in undefined values.
      new DynamoEventSource(table as ITable, {
        startingPosition: StartingPosition.TRIM_HORIZON,
        batchSize: batch,
        maxBatchingWindow: Duration.seconds(0),
        reportBatchItemFailures: true,
        bisectBatchOnError: true,
        // The function parks a failed record; the shard of the stream waits only if parking fails too.
        retryAttempts: -1,
        maxRecordAge: Duration.days(1),
        onFailure: new SqsDlq(dead),
        // A record passes if any filter matches.
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
