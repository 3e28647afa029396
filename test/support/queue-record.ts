import { LAST_RECEIVE } from '#lib/messages.ts';
import type { QueueRecord, RetryBudget } from '#lib/platform/batch.ts';

/**
 * Returns a message as its function receives it: for the first time, after enough attempts, or for the last time.
 */
export const queueRecord = (messageId: string, body: unknown, chance: RetryBudget = 'more'): QueueRecord => ({
  messageId,
  body: JSON.stringify(body),
  attributes: {
    ApproximateReceiveCount: String(chance === 'over' ? LAST_RECEIVE : 1),
    // After the clock of every test, or long ago.
    ApproximateFirstReceiveTimestamp: chance === 'more' ? '9999999999999' : '0',
  },
});
