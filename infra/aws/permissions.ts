import type { SecretValue } from 'aws-cdk-lib';
import type { ITableV2 } from 'aws-cdk-lib/aws-dynamodb';
import type { EventBus } from 'aws-cdk-lib/aws-events';
import { Effect, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import type { IBucket } from 'aws-cdk-lib/aws-s3';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import { type FunctionName, functions, runsInVpc, streams } from '#infra/topology.ts';
import type { QueueName } from '#lib/messages.ts';
import { STATUS_PATH } from '#lib/public/pages/render.ts';
import { networkRights, type OwnNetwork } from './vpc.ts';

/** DynamoDB actions of the table port; a transaction needs the permissions of its parts. */
const TABLE_ACTIONS = {
  read: ['dynamodb:GetItem', 'dynamodb:BatchGetItem', 'dynamodb:Query'],
  put: ['dynamodb:PutItem', 'dynamodb:BatchWriteItem', 'dynamodb:ConditionCheckItem'],
  delete: ['dynamodb:DeleteItem'],
};

const FILE_ACTIONS = {
  read: ['s3:GetObject'],
  write: ['s3:PutObject', 's3:DeleteObject'],
};

export type Resources = {
  table: ITableV2;
  queues: Record<QueueName, Queue>;
  bus: EventBus;
  bucket: IBucket;
  /** Encrypts table, queues and environment variables; undefined: AWS owned keys. */
  key?: IKey | undefined;
  network?: OwnNetwork | undefined;
  /** Secrets that identify CloudFront to the functions; empty without CloudFront. */
  edgeSecrets: SecretValue[];
};

/** Returns the least privileges of a function: table, queues that it sends to, bus, and published files. */
export function permissionsOf(
  name: FunctionName,
  { table, queues, bus, bucket, key, network }: Resources,
): PolicyStatement[] {
  const spec = functions[name];
  const allow = (actions: string[], resources: string[]) =>
    new PolicyStatement({ effect: Effect.ALLOW, actions, resources });
  const inPartitions = (actions: string[], partitions: readonly string[] | undefined) =>
    new PolicyStatement({
      effect: Effect.ALLOW,
      actions,
      resources: [table.tableArn],
      ...(partitions && {
        conditions: { 'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': [...partitions] } },
      }),
    });
  const tableRights = (rights: readonly ('put' | 'delete')[]) => {
    const writes = rights.flatMap((right) => TABLE_ACTIONS[right]);
    if (!spec.puts_into) return [inPartitions([...TABLE_ACTIONS.read, ...writes], spec.partitions)];
    return [inPartitions(TABLE_ACTIONS.read, spec.partitions), inPartitions(writes, spec.puts_into)];
  };
  return [
    ...(spec.table ? tableRights(spec.table) : []),
    ...(spec.sends.length > 0
      ? [
          allow(
            ['sqs:SendMessage'],
            spec.sends.map((queue) => queues[queue].queueArn),
          ),
        ]
      : []),
    ...(spec.publishes ? [allow(['events:PutEvents'], [bus.eventBusArn])] : []),
    ...(spec.files ? [allow(FILE_ACTIONS[spec.files], [bucket.arnForObjects(`${STATUS_PATH}/*`)])] : []),
    ...(key ? [allow(['kms:Decrypt', 'kms:GenerateDataKey'], [key.keyArn])] : []),
    ...(runsInVpc(name) && network ? [networkRights()] : []),
    // Event sources of a stream also need this action, which does not support resources.
    ...(streams.some((stream) => stream.function === name) ? [allow(['dynamodb:ListStreams'], ['*'])] : []),
  ];
}
