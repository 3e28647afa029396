import type { SecretValue } from 'aws-cdk-lib';
import type { ITableV2 } from 'aws-cdk-lib/aws-dynamodb';
import type { EventBus } from 'aws-cdk-lib/aws-events';
import { Effect, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import { type FunctionName, functions, streams } from '#infra/topology.ts';
import type { QueueName } from '#lib/messages.ts';
import { networkRights, type OwnNetwork } from './vpc.ts';

/** What the table port asks of DynamoDB; a transaction needs the rights of its parts. */
const TABLE_ACTIONS = {
  read: ['dynamodb:GetItem', 'dynamodb:BatchGetItem', 'dynamodb:Query'],
  put: ['dynamodb:PutItem', 'dynamodb:BatchWriteItem', 'dynamodb:ConditionCheckItem'],
  delete: ['dynamodb:DeleteItem'],
};

export type Resources = {
  table: ITableV2;
  queues: Record<QueueName, Queue>;
  bus: EventBus;
  /** Encrypts table and queues; undefined: keys of AWS do. */
  key?: IKey | undefined;
  network?: OwnNetwork | undefined;
  /** By which CloudFront is known; undefined where there is none. */
  edgeSecret?: SecretValue | undefined;
};

/** What a function may do, and nothing else: its part of the table, the queues it sends to, the bus if it publishes. */
export function permissionsOf(name: FunctionName, { table, queues, bus, key, network }: Resources): PolicyStatement[] {
  const spec = functions[name];
  const allow = (actions: string[], resources: string[]) =>
    new PolicyStatement({ effect: Effect.ALLOW, actions, resources });
  return [
    ...(spec.table
      ? [allow([...TABLE_ACTIONS.read, ...spec.table.flatMap((right) => TABLE_ACTIONS[right])], [table.tableArn])]
      : []),
    ...(spec.sends.length > 0
      ? [
          allow(
            ['sqs:SendMessage'],
            spec.sends.map((queue) => queues[queue].queueArn),
          ),
        ]
      : []),
    ...(spec.publishes ? [allow(['events:PutEvents'], [bus.eventBusArn])] : []),
    ...(key ? [allow(['kms:Decrypt', 'kms:GenerateDataKey'], [key.keyArn])] : []),
    ...(spec.reaches_out && network ? [networkRights()] : []),
    // What event sources of a stream ask for beside it is of no one resource.
    ...(streams.some((stream) => stream.function === name) ? [allow(['dynamodb:ListStreams'], ['*'])] : []),
  ];
}
