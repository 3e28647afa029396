import { PERMIT_WAIT_MS } from '#lib/actions/run/claim.ts';
import { runMessage } from '#lib/actions/run-message.ts';
import { envOf, type Ports } from '#lib/env.ts';
import { LAST_RECEIVE, messages } from '#lib/messages.ts';
import { type BatchReply, chanceOf, eachMessage, type QueueRecord } from '#lib/platform/batch.ts';
import { FairSemaphore } from '#lib/platform/sharing/fair-semaphore.ts';

/** Runs that one process sends at once, and of these to one host. */
const PERMITS = { places: 200, per_target: 10, wait_ms: PERMIT_WAIT_MS };

/** Runs actions that a transition or the schedule wants. */
export const create = (ports: Ports) => {
  const env = { ...envOf(ports), permits: new FairSemaphore(PERMITS, ports.clock) };
  return ({ Records }: { Records: QueueRecord[] }): Promise<BatchReply> =>
    eachMessage(ports.log, Records, (body, record) =>
      runMessage(env, messages.action.parse(body), chanceOf(record, ports.clock, LAST_RECEIVE)),
    );
};
