import type { Clock, Log, Message } from './ports.ts';

/** The part of an SQS record that the service reads. */
export type QueueRecord = {
  messageId: string;
  body: string;
  attributes: {
    ApproximateReceiveCount: string;
    /** Epoch ms. */
    ApproximateFirstReceiveTimestamp: string;
  };
};

/**
 * Whether this try may fail. `more`: it is tried again. `last`: it was tried for 20 minutes; if it fails now, it ends
 * as failed. `over`: it is not given again, perhaps since each try was cut off; it ends as failed without another try.
 */
export type RetryBudget = 'more' | 'last' | 'over';

/** A message is tried for so long (ms) from its first receive on, and once at the least, however late that is. */
const TRIED_FOR_MS = 20 * 60_000;

/** @param most receives after which a message is not given again */
export function chanceOf({ attributes }: QueueRecord, clock: Pick<Clock, 'now'>, most: number): RetryBudget {
  if (Number(attributes.ApproximateReceiveCount) >= most) return 'over';
  return clock.now() - Number(attributes.ApproximateFirstReceiveTimestamp) >= TRIED_FOR_MS ? 'last' : 'more';
}

/** What a queue or stream function answers: only these records are given again. */
export type BatchReply = { batchItemFailures: { itemIdentifier: string }[] };

/**
 * Does the work of every record at once and names those that failed, so that one bad record never takes its batch
 * with it. Each failure is logged.
 * @param idOf what the source of the batch calls the record: messageId (SQS), dynamodb.SequenceNumber (stream)
 */
export async function eachRecord<R>(
  log: Log,
  records: readonly R[],
  idOf: (record: R) => string,
  work: (record: R) => Promise<unknown>,
): Promise<BatchReply> {
  const settled = await Promise.allSettled(records.map(async (record) => work(record)));
  const batchItemFailures = settled.flatMap((one, i) => {
    if (one.status === 'fulfilled') return [];
    const itemIdentifier = idOf(records[i]!);
    log.error('a record failed and is given again', { record: itemIdentifier, error: one.reason });
    return [{ itemIdentifier }];
  });
  return { batchItemFailures };
}

/** `eachRecord` over queue messages: the body as JSON. */
export const eachMessage = (
  log: Log,
  records: readonly QueueRecord[],
  work: (body: unknown, record: QueueRecord) => Promise<unknown>,
): Promise<BatchReply> =>
  eachRecord(
    log,
    records,
    (record) => record.messageId,
    (record) => work(JSON.parse(record.body), record),
  );

/** Whether a function that has two sources was called by its queue, not by the stream. */
export const isFromQueue = (records: readonly object[]): records is QueueRecord[] =>
  records[0] !== undefined && 'messageId' in records[0];

/** Limits of SQS, which hold on one machine too. */
export const MAX_DELAY_MS = 15 * 60_000;
const MESSAGE_BYTES = 256 * 1024;

/** A message as it is sent: its body as JSON, and how long it waits from `now` on (ms). Throws on what SQS refuses. */
export function sendable({ body, not_before = 0 }: Message, now: number): { text: string; wait_ms: number } {
  const text = JSON.stringify(body);
  if (text === undefined) throw new Error('The body of a message is JSON.');
  if (Buffer.byteLength(text) > MESSAGE_BYTES) throw new Error('A message has at most 256 KB. Send several.');
  const wait_ms = Math.max(0, not_before - now);
  if (wait_ms > MAX_DELAY_MS) throw new Error('A message waits at most 15 minutes.');
  return { text, wait_ms };
}
