import { reclaimCheck } from '#lib/checks/reclaim-check.ts';
import { keyTable } from '#lib/keys.ts';
import { messages } from '#lib/messages.ts';
import { type BatchReply, eachMessage, type QueueRecord } from '#lib/platform/batch.ts';
import type { Ports } from '#lib/platform/ports.ts';

/** Frees the storage of what was deleted. */
export function create(ports: Ports) {
  const keys = keyTable(ports.settings);
  return (event: { Records: QueueRecord[] }): Promise<BatchReply> =>
    eachMessage(ports.log, event.Records, (body) => reclaimCheck(ports, keys, messages.reclaim.parse(body)));
}
