import { SendMessageBatchCommand, type SendMessageBatchRequestEntry, type SQSClient } from '@aws-sdk/client-sqs';
import { serializeMessage } from '#lib/platform/batch.ts';
import type { Clock, Message, Queues } from '#lib/platform/ports.ts';
import { inRounds, type RetryPorts, translate } from './in-rounds.ts';

/** Limits of SendMessageBatch: ten entries and 1 MiB in total, less 8 KiB reserved for attributes. */
const ENTRIES = 10;
const BATCH_BYTES = 1024 * 1024 - 8 * 1024;

type Entry = SendMessageBatchRequestEntry & { Id: string; MessageBody: string };
type Options = RetryPorts & {
  client: SQSClient;
  clock: Pick<Clock, 'now' | 'sleep'>;
  urls: Readonly<Record<string, string>>;
};

/** Returns the queue port on SQS. A message may arrive up to a second late, because SQS delays are in seconds. */
export function sqsQueues({ client, urls, ...retryPorts }: Options): Queues {
  return {
    send: async (queue, messages) => {
      const QueueUrl = urls[queue];
      if (QueueUrl === undefined) throw new Error(`This function may not send to the queue ${queue}.`);
      const now = retryPorts.clock.now();
      const entries = messages.map((message, i) => entryOf(message, i, now));
      const send = async (Entries: Entry[]) => {
        const { Failed = [] } = await client.send(new SendMessageBatchCommand({ QueueUrl, Entries }));
        const rejected = Failed.find((entry) => entry.SenderFault);
        if (rejected) throw new Error(`SQS refused a message to ${queue}: ${rejected.Code} ${rejected.Message ?? ''}`);
        const failed = new Set(Failed.map((entry) => entry.Id));
        return Entries.filter((entry) => failed.has(entry.Id));
      };
      try {
        await Promise.all(batches(entries).map((batch) => inRounds(retryPorts, batch, send)));
      } catch (error) {
        throw translate(error);
      }
    },
  };
}

function entryOf(message: Message, index: number, now: number): Entry {
  const { text, wait_ms } = serializeMessage(message, now);
  const DelaySeconds = Math.ceil(wait_ms / 1000);
  return {
    Id: String(index),
    MessageBody: text,
    ...(DelaySeconds > 0 && { DelaySeconds }),
    ...(message.group !== undefined && { MessageGroupId: message.group }),
  };
}

function batches(entries: Entry[]): Entry[][] {
  const all: Entry[][] = [];
  let room = 0;
  for (const entry of entries) {
    const bytes = Buffer.byteLength(entry.MessageBody);
    const last = all.at(-1);
    if (last && last.length < ENTRIES && bytes <= room) last.push(entry);
    else {
      all.push([entry]);
      room = BATCH_BYTES;
    }
    room -= bytes;
  }
  return all;
}
