import { envOf, type Ports } from '#lib/env.ts';
import { rollUp } from '#lib/history/rollups/roll-up.ts';
import { messages } from '#lib/messages.ts';
import { type BatchReply, eachMessage, type QueueRecord } from '#lib/platform/batch.ts';

/** Rolls up the results of cells by hour and by day for the history. */
export function create(ports: Ports) {
  const env = envOf(ports);
  return (event: { Records: QueueRecord[] }): Promise<BatchReply> =>
    eachMessage(ports.log, event.Records, (body) => rollUp(env, messages.rollup.parse(body)));
}
