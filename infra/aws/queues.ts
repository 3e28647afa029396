import { Duration } from 'aws-cdk-lib';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import { hiddenSeconds, queues as specs } from '#infra/topology.ts';
import type { QueueName } from '#lib/messages.ts';

type Queues = {
  queues: Record<QueueName, Queue>;
  /** What failed for good; each raises an alarm while it is not empty. */
  deadLetters: Queue[];
};

/** How long a dead letter is kept for somebody to look at. */
const KEPT = Duration.days(14);

/** Encrypted, by the operator's key if there is one. */
const safe = (key: IKey | undefined) =>
  ({
    ...(key
      ? { encryption: QueueEncryption.KMS, encryptionMasterKey: key }
      : { encryption: QueueEncryption.SQS_MANAGED }),
    enforceSSL: true,
  }) as const;

/** Every queue of the topology, each with its dead letters. */
export function makeQueues(scope: Construct, key: IKey | undefined): Queues {
  const deadLetters: Queue[] = [];
  const made = Object.entries(specs).map(([name, { max_receives }]) => {
    const dead = makeDeadLetters(scope, name, key);
    deadLetters.push(dead);
    const queue = new Queue(scope, `Queue-${name}`, {
      ...safe(key),
      visibilityTimeout: Duration.seconds(hiddenSeconds(name as QueueName)),
      retentionPeriod: Duration.days(4),
      deadLetterQueue: { queue: dead, maxReceiveCount: max_receives },
    });
    return [name, queue];
  });
  return { queues: Object.fromEntries(made) as Record<QueueName, Queue>, deadLetters };
}

export const makeDeadLetters = (scope: Construct, name: string, key: IKey | undefined): Queue =>
  new Queue(scope, `Dead-${name}`, { ...safe(key), retentionPeriod: KEPT });
