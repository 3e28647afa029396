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
 * Retries left to a message. `more`: a failed attempt is retried. `last`: a failed attempt is final, because 20 minutes
 * have passed since the first receive. `over`: all receives are used up, so the work ends as failed without an attempt.
 */
export type RetryBudget = 'more' | 'last' | 'over';

/** Time from the first receive (ms) after which an attempt is the last. */
const MAX_RETRY_MS = 20 * 60_000;

/** Returns the retry budget of a message. @param maxReceives receives after which SQS stops delivering a message */
export function retryBudgetOf(
  { attributes }: QueueRecord,
  clock: Pick<Clock, 'now'>,
  maxReceives: number,
): RetryBudget {
  if (Number(attributes.ApproximateReceiveCount) >= maxReceives) return 'over';
  return clock.now() - Number(attributes.ApproximateFirstReceiveTimestamp) >= MAX_RETRY_MS ? 'last' : 'more';
}

/** Reply of a function: the failed records. A queue retries only these; a stream retries all from the first of them. */
export type BatchReply = { batchItemFailures: { itemIdentifier: string }[] };

/** Processes all records concurrently; logs and returns the failed ones. `idOf`: messageId (SQS) or SequenceNumber. */
export async function eachRecord<R>(
  log: Log,
  records: readonly R[],
  idOf: (record: R) => string,
  work: (record: R) => Promise<unknown>,
): Promise<BatchReply> {
  const settled = await Promise.allSettled(records.map(async (record) => work(record)));
  const batchItemFailures = settled.flatMap((outcome, i) => {
    if (outcome.status === 'fulfilled') return [];
    const itemIdentifier = idOf(records[i]!);
    log.error('record failed, will be retried', { record: itemIdentifier, error: outcome.reason });
    return [{ itemIdentifier }];
  });
  return { batchItemFailures };
}

/** Runs `eachRecord` on queue messages and parses each body as JSON. */
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

/** Whether the records come from a queue instead of a stream. */
export const isFromQueue = (records: readonly object[]): records is QueueRecord[] =>
  records[0] !== undefined && 'messageId' in records[0];

/** Maximum delay of SQS, and a maximum size below its 1 MiB; both are also enforced on one machine. */
export const MAX_DELAY_MS = 15 * 60_000;
const MESSAGE_BYTES = 256 * 1024;

/** Serializes a message and returns its delay (ms). Throws if it is not JSON, or size or delay exceeds its maximum. */
export function serializeMessage({ body, not_before = 0 }: Message, now: number): { text: string; wait_ms: number } {
  const text = JSON.stringify(body);
  if (text === undefined) throw new Error('The body of a message must be JSON.');
  if (Buffer.byteLength(text) > MESSAGE_BYTES) throw new Error('A message can have at most 256 KB. Split it.');
  const wait_ms = Math.max(0, not_before - now);
  if (wait_ms > MAX_DELAY_MS) throw new Error('A message can be delayed by at most 15 minutes.');
  return { text, wait_ms };
}
