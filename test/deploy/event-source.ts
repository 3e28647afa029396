import { randomUUID } from 'node:crypto';
import {
  CreateQueueCommand,
  DeleteMessageBatchCommand,
  type Message,
  ReceiveMessageCommand,
  SQSClient,
} from '@aws-sdk/client-sqs';
import type { SQSRecord } from 'aws-lambda';
import { queues as specs } from '#infra/topology.ts';
import { sqsQueues } from '#lib/aws/sqs-queues.ts';
import { systemClock } from '#lib/platform/clock.ts';
import { makeIds } from '#lib/platform/ids.ts';
import type { Consume, QueueWorld } from '#test/support/queue-contract.ts';
import { failedOf } from '#test/support/sqs-event-source.ts';

/**
 * Creates a queue on the emulator and consumes it like an event source of Lambda: each poller takes one batch at a time
 * and deletes the messages that were handled.
 */
export async function startEventSource(consume: Consume): Promise<QueueWorld> {
  const client = new SQSClient({});
  const name = `${randomUUID()}-delivery`;
  const { QueueUrl } = await client.send(
    new CreateQueueCommand({ QueueName: name, Attributes: { VisibilityTimeout: '1' } }),
  );
  const { batch, concurrency } = specs.delivery;
  let stopped = false;
  const poll = async () => {
    while (!stopped) {
      const { Messages = [] } = await client.send(
        new ReceiveMessageCommand({
          QueueUrl,
          MaxNumberOfMessages: batch,
          WaitTimeSeconds: 1,
          MessageSystemAttributeNames: ['All'],
        }),
      );
      if (Messages.length > 0 && !stopped) await consumeBatch(Messages);
    }
  };
  const consumeBatch = async (messages: Message[]) => {
    const reply = await consume({ Records: messages.map((message) => recordOf(name, message)) }).catch(() => undefined);
    const ids = messages.map((message) => message.MessageId!);
    const failed = failedOf(ids, reply);
    const Entries = messages
      .filter((message) => !failed.has(message.MessageId!))
      .map((message, i) => ({ Id: String(i), ReceiptHandle: message.ReceiptHandle! }));
    if (Entries.length > 0) await client.send(new DeleteMessageBatchCommand({ QueueUrl, Entries }));
  };
  const pollers = Array.from({ length: Math.min(concurrency, 6) }, poll);
  return {
    queues: sqsQueues({
      client,
      urls: { delivery: QueueUrl! },
      clock: systemClock,
      ids: makeIds(systemClock),
    }),
    stop: async () => {
      stopped = true;
      await Promise.all(pollers);
      client.destroy();
    },
  };
}

const recordOf = (queue: string, message: Message): SQSRecord => ({
  messageId: message.MessageId!,
  receiptHandle: message.ReceiptHandle!,
  body: message.Body!,
  attributes: message.Attributes as unknown as SQSRecord['attributes'],
  messageAttributes: {},
  md5OfBody: message.MD5OfBody!,
  eventSource: 'aws:sqs',
  eventSourceARN: `arn:aws:sqs:eu-central-1:000000000000:${queue}`,
  awsRegion: 'eu-central-1',
});
