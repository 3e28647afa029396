import type { Clock, Log } from './ports.ts';

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
export type Chance = 'more' | 'last' | 'over';

/** A message is tried for so long (ms) from its first receive on, and once at the least, however late that is. */
const TRIED_FOR_MS = 20 * 60_000;

/** @param most receives after which a message is not given again */
export function chanceOf({ attributes }: QueueRecord, clock: Pick<Clock, 'now'>, most: number): Chance {
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
