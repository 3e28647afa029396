import { runMessage } from '#lib/actions/run-message.ts';
import { keyTable } from '#lib/keys.ts';
import { LAST_RECEIVE, messages } from '#lib/messages.ts';
import { type BatchReply, chanceOf, eachMessage, type QueueRecord } from '#lib/platform/batch.ts';
import type { Ports } from '#lib/platform/ports.ts';

/** Runs actions that a transition or the schedule wants. */
export const create = (ports: Ports) => {
  const world = { ports, keys: keyTable(ports.settings) };
  return ({ Records }: { Records: QueueRecord[] }): Promise<BatchReply> =>
    eachMessage(ports.log, Records, (body, record) =>
      runMessage(world, messages.action.parse(body), chanceOf(record, ports.clock, LAST_RECEIVE)),
    );
};
