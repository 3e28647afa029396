import { envOf, type Ports } from '#lib/env.ts';
import { messages } from '#lib/messages.ts';
import { type BatchReply, eachMessage, type QueueRecord } from '#lib/platform/batch.ts';
import { lazyFunction } from '#lib/platform/lazy.ts';
import { publish } from '#lib/public/pages/publish.ts';

/** Loads with the first report: reports are rare. */
const sendReport = lazyFunction(async () => (await import('#lib/report/monthly-report.ts')).sendReport);

/** Renders status pages and writes their files, and makes monthly reports. */
export function create(ports: Ports) {
  const env = envOf(ports);
  return (event: { Records: QueueRecord[] }, context?: { signal?: AbortSignal }): Promise<BatchReply> =>
    eachMessage(ports.log, event.Records, (body) => {
      const message = messages.publish.parse(body);
      return 'recipient_id' in message ? sendReport(env, message) : publish(env, message, context?.signal);
    });
}
