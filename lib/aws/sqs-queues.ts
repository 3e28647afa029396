import { SendMessageBatchCommand, type SendMessageBatchRequestEntry, type SQSClient } from '@aws-sdk/client-sqs';
import { sendable } from '#lib/platform/batch.ts';
import type { Clock, Message, Queues } from '#lib/platform/ports.ts';
import { inRounds, type Pauses, translate } from './in-rounds.ts';

/** SendMessageBatch: ten entries, 1 MiB in all, of which a little is kept for what stands around the bodies. */
const ENTRIES = 10;
const BATCH_BYTES = 1024 * 1024 - 8 * 1024;

type Entry = SendMessageBatchRequestEntry & { Id: string; MessageBody: string };
type Options = Pauses & {
  client: SQSClient;
  clock: Pick<Clock, 'now' | 'sleep'>;
  /** The URL of each queue that may be sent to, by its name in the topology. */
  urls: Readonly<Record<string, string>>;
};

/** The queue port on SQS. A message comes up to a second after its `not_before`, as SQS counts delays in seconds. */
export function sqsQueues({ client, urls, ...pauses }: Options): Queues {
  return {
    send: async (queue, messages) => {
      const QueueUrl = urls[queue];
      if (QueueUrl === undefined) throw new Error(`There is no queue ${queue} that this function may send to.`);
      const now = pauses.clock.now();
      const entries = messages.map((message, i) => entryOf(message, i, now));
      const send = async (Entries: Entry[]) => {
        const { Failed = [] } = await client.send(new SendMessageBatchCommand({ QueueUrl, Entries }));
        const ours = Failed.find((one) => one.SenderFault);
        if (ours) throw new Error(`SQS refused a message to ${queue}: ${ours.Code} ${ours.Message ?? ''}`);
        const failed = new Set(Failed.map((one) => one.Id));
        return Entries.filter((entry) => failed.has(entry.Id));
      };
      try {
        await Promise.all(batches(entries).map((batch) => inRounds(pauses, batch, send)));
      } catch (error) {
        throw translate(error);
      }
    },
  };
}

function entryOf(message: Message, index: number, now: number): Entry {
  const { text, wait_ms } = sendable(message, now);
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
