import { LAST_RECEIVE } from '#lib/messages.ts';
import type { QueueRecord, RetryBudget } from '#lib/platform/batch.ts';

/**
 * Returns a message as its function receives it, with the given retry budget.
 */
export const queueRecord = (messageId: string, body: unknown, budget: RetryBudget = 'more'): QueueRecord => ({
  messageId,
  body: JSON.stringify(body),
  attributes: {
    ApproximateReceiveCount: String(budget === 'over' ? LAST_RECEIVE : 1),
    // In the future of every test, or long ago.
    ApproximateFirstReceiveTimestamp: budget === 'more' ? '9999999999999' : '0',
  },
});
