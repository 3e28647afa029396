import { type AlertItem, isAlert } from '#lib/alerting/decide/alert-item.ts';
import type { DecidedTransition } from '#lib/alerting/decide/transition.ts';
import { eventOf } from '#lib/channels/alert.ts';
import type { Env } from '#lib/env.ts';

/** Publishes the event of a detected state change on the bus, whether an alert was sent or not. */
export async function publishEvent({ ports }: Env, transition: DecidedTransition): Promise<void> {
  if (transition.cause !== 'result' && transition.cause !== 'missed_heartbeat') return;
  await ports.bus.publish([{ detail_type: 'state_change', detail: eventOf(transition) }]);
}

/** Enqueues an alert or transition that belongs to an incident or can still join one. */
export async function enqueueIncidentEvent({ ports }: Env, item: AlertItem | DecidedTransition): Promise<void> {
  if (!(isAlert(item) ? isForTimeline(item) : mayBelong(item))) return;
  const { tenant_id, check_id, sk } = item;
  await ports.queues.send('incident', [{ body: { tenant_id, check_id, sk }, group: tenant_id }]);
}

/** Whether the alert needs a timeline entry; acknowledging a failure writes its own. */
const isForTimeline = ({ incident_id, kind }: AlertItem): boolean =>
  incident_id !== undefined && kind !== 'acknowledged';

const mayBelong = ({ incident, check_to_state, cause }: DecidedTransition): boolean =>
  incident !== undefined || (check_to_state === 'down' && (cause === 'result' || cause === 'missed_heartbeat'));
