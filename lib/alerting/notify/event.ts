import { type AlertItem, isAlert } from '#lib/alerting/decide/alert-item.ts';
import type { DecidedTransition } from '#lib/alerting/decide/transition.ts';
import { eventOf } from '#lib/channels/alert.ts';
import type { Env } from '#lib/env.ts';

/** Puts the event of a transition on the bus: of every change that was found out, announced or not. */
export async function publishEvent({ ports }: Env, transition: DecidedTransition): Promise<void> {
  if (transition.cause !== 'result' && transition.cause !== 'missed_heartbeat') return;
  await ports.bus.publish([{ detail_type: 'state_change', detail: eventOf(transition) }]);
}

/**
 * Hands on what belongs to an incident, or may yet: an alert or a transition, new in the table. One that belongs to
 * none costs nothing.
 */
export async function enqueueIncidentEvent({ ports }: Env, item: AlertItem | DecidedTransition): Promise<void> {
  if (!(isAlert(item) ? isForTimeline(item) : mayBelong(item))) return;
  const { tenant_id, check_id, sk } = item;
  await ports.queues.send('incident', [{ body: { tenant_id, check_id, sk }, group: tenant_id }]);
}

/** Of an acknowledgement there is an entry already, which does not need anybody to be told. */
const isForTimeline = ({ incident_id, kind }: AlertItem): boolean =>
  incident_id !== undefined && kind !== 'acknowledged';

const mayBelong = ({ incident, check_to_state, cause }: DecidedTransition): boolean =>
  incident !== undefined || (check_to_state === 'down' && (cause === 'result' || cause === 'missed_heartbeat'));
