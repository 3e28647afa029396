import { envOf, type Ports } from '#lib/env.ts';
import { updateIncidentItem } from '#lib/incidents/update-incident-item.ts';
import { messages } from '#lib/messages.ts';
import { type BatchReply, eachMessage, type QueueRecord } from '#lib/platform/batch.ts';

/** Records the events of each incident, and resolves automatic incidents after their failures have ended. */
export function create(ports: Ports) {
  const env = envOf(ports);
  return (event: { Records: QueueRecord[] }): Promise<BatchReply> =>
    eachMessage(ports.log, event.Records, (body) => updateIncidentItem(env, messages.incident.parse(body)));
}
