import { envOf, type Ports } from '#lib/env.ts';
import { messages } from '#lib/messages.ts';
import { type BatchReply, eachMessage, type QueueRecord } from '#lib/platform/batch.ts';
import { publish } from '#lib/public/pages/publish.ts';

/** Renders status pages and writes their files. */
export function create(ports: Ports) {
  const env = envOf(ports);
  return (event: { Records: QueueRecord[] }, context?: { signal?: AbortSignal }): Promise<BatchReply> =>
    eachMessage(ports.log, event.Records, (body) => publish(env, messages.publish.parse(body), context?.signal));
}
