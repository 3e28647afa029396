import { recheckHeldUnder } from '#lib/alerting/cause/held-under.ts';
import { type AlertItem, isAlert } from '#lib/alerting/decide/alert-item.ts';
import type { DecidedTransition } from '#lib/alerting/decide/transition.ts';
import { enqueueIncidentEvent, publishEvent } from '#lib/alerting/notify/event.ts';
import { fanOut } from '#lib/alerting/notify/fan-out.ts';
import { type Env, envOf, type Ports } from '#lib/env.ts';
import { publishPagesOf } from '#lib/public/pages/ask-to-publish.ts';
import { onInserted } from '#lib/stream-reader.ts';

/**
 * Creates the deliveries of alerts, publishes transitions, requests the publication of status pages, enqueues incident
 * events, and rechecks alerts held by a resolved failure.
 */
export const create = (ports: Ports) => {
  const env = envOf(ports);
  return onInserted<AlertItem | DecidedTransition>(env, 'notify', async (item, isLast) => {
    await (isAlert(item) ? fanOut(env, item, isLast) : processTransition(env, item));
    await enqueueIncidentEvent(env, item);
  });
};

async function processTransition(env: Env, transition: DecidedTransition): Promise<void> {
  await publishEvent(env, transition);
  await publishPagesOf(env, transition);
  if (transition.ends_failure) await recheckHeldUnder(env, transition.tenant_id, transition.entity_id);
}
