import { Duration } from 'aws-cdk-lib';
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import { functions, queues as specs } from '#infra/topology.ts';
import type { QueueName } from '#lib/messages.ts';

export type Queues = {
  queues: Record<QueueName, Queue>;
  /** What failed for good; each raises an alarm while it is not empty. */
  deadLetters: Queue[];
};

/** How long a dead letter is kept for somebody to look at. */
const KEPT = Duration.days(14);

const SAFE = { encryption: QueueEncryption.SQS_MANAGED, enforceSSL: true } as const;

/** Every queue of the topology, each with its dead letters. */
export function makeQueues(scope: Construct): Queues {
  const deadLetters: Queue[] = [];
  const made = Object.entries(specs).map(([name, { consumer, max_receives }]) => {
    const dead = makeDeadLetters(scope, name);
    deadLetters.push(dead);
    const queue = new Queue(scope, `Queue-${name}`, {
      ...SAFE,
      // What Lambda asks for, so that a message is not given again while its function still works on it.
      visibilityTimeout: Duration.seconds(6 * functions[consumer].timeout_seconds),
      retentionPeriod: Duration.days(4),
      deadLetterQueue: { queue: dead, maxReceiveCount: max_receives },
    });
    return [name, queue];
  });
  return { queues: Object.fromEntries(made) as Record<QueueName, Queue>, deadLetters };
}

export const makeDeadLetters = (scope: Construct, name: string): Queue =>
  new Queue(scope, `Dead-${name}`, { ...SAFE, retentionPeriod: KEPT });
