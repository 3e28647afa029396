import { PERMIT_WAIT_MS } from '#lib/actions/run/claim.ts';
import { runMessage } from '#lib/actions/run-message.ts';
import { envOf, type Ports } from '#lib/env.ts';
import { LAST_RECEIVE, messages } from '#lib/messages.ts';
import { type BatchReply, eachMessage, type QueueRecord, retryBudgetOf } from '#lib/platform/batch.ts';
import { FairSemaphore } from '#lib/platform/sharing/fair-semaphore.ts';

/** Limits of concurrent executions per process and target. */
const LIMITS = { permits: 200, per_target: 10, wait_ms: PERMIT_WAIT_MS };

/** Runs actions triggered by a transition or the schedule. */
export const create = (ports: Ports) => {
  const env = { ...envOf(ports), permits: new FairSemaphore(LIMITS, ports.clock) };
  return ({ Records }: { Records: QueueRecord[] }): Promise<BatchReply> =>
    eachMessage(ports.log, Records, (body, record) =>
      runMessage(env, messages.action.parse(body), retryBudgetOf(record, ports.clock, LAST_RECEIVE)),
    );
};
