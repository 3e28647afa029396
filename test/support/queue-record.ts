import { LAST_RECEIVE } from '#lib/messages.ts';
import type { QueueRecord, RetryBudget } from '#lib/platform/batch.ts';

/**
 * A message as its function is given it: a first time, after it was tried for long enough, or for the very last time.
 */
export const queueRecord = (messageId: string, body: unknown, chance: RetryBudget = 'more'): QueueRecord => ({
  messageId,
  body: JSON.stringify(body),
  attributes: {
    ApproximateReceiveCount: String(chance === 'over' ? LAST_RECEIVE : 1),
    // In the future of every clock of a test, or long ago.
    ApproximateFirstReceiveTimestamp: chance === 'more' ? '9999999999999' : '0',
  },
});
