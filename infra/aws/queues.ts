import { Duration } from 'aws-cdk-lib';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import { hiddenSeconds, queues as specs } from '#infra/topology.ts';
import type { QueueName } from '#lib/messages.ts';

type Queues = {
  queues: Record<QueueName, Queue>;
  /** Dead-letter queues; each raises an alarm while it is not empty. */
  deadLetters: Queue[];
};

const KEPT = Duration.days(14);

const encrypted = (key: IKey | undefined) =>
  ({
    ...(key
      ? { encryption: QueueEncryption.KMS, encryptionMasterKey: key }
      : { encryption: QueueEncryption.SQS_MANAGED }),
    enforceSSL: true,
  }) as const;

export function makeQueues(scope: Construct, key: IKey | undefined): Queues {
  const deadLetters: Queue[] = [];
  const created = Object.entries(specs).map(([name, { max_receives }]) => {
    const dead = makeDeadLetters(scope, name, key);
    deadLetters.push(dead);
    const queue = new Queue(scope, `Queue-${name}`, {
      ...encrypted(key),
      visibilityTimeout: Duration.seconds(hiddenSeconds(name as QueueName)),
      retentionPeriod: Duration.days(4),
      deadLetterQueue: { queue: dead, maxReceiveCount: max_receives },
    });
    return [name, queue];
  });
  return { queues: Object.fromEntries(created) as Record<QueueName, Queue>, deadLetters };
}

export const makeDeadLetters = (scope: Construct, name: string, key: IKey | undefined): Queue =>
  new Queue(scope, `Dead-${name}`, { ...encrypted(key), retentionPeriod: KEPT });
