import type { Log } from './ports.ts';

/** The part of an SQS record that the service reads. */
export type QueueRecord = {
  messageId: string;
  body: string;
  attributes: { ApproximateReceiveCount: string };
};

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

/** `eachRecord` over queue messages: the body as JSON, and how often it was received (1 the first time). */
export const eachMessage = (
  log: Log,
  records: readonly QueueRecord[],
  work: (body: unknown, receives: number, record: QueueRecord) => Promise<unknown>,
): Promise<BatchReply> =>
  eachRecord(
    log,
    records,
    (record) => record.messageId,
    (record) => work(JSON.parse(record.body), Number(record.attributes.ApproximateReceiveCount), record),
  );

/** Whether a function that has two sources was called by its queue, not by the stream. */
export const isFromQueue = (records: readonly object[]): records is QueueRecord[] =>
  records[0] !== undefined && 'messageId' in records[0];
