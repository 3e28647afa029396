import { deliveriesIn, type Inside } from './inside.ts';

/** Promise: every received alert, of any channel type, reports its content in the format of that type. */
export function checkMessages({ seen }: Inside): string[] {
  const deliveries = new Map(deliveriesIn(seen).map((one) => [one.id, one]));
  return seen.received.flatMap(({ delivery_id, kind, type, says }) => {
    const delivery = deliveries.get(delivery_id);
    if (!delivery) return [];
    const is = `${delivery.channel_type} ${kind === 'combined' ? kind : delivery.kind}`;
    if (`${type} ${kind}` !== is) return [`delivery ${delivery_id} is ${is}, but was received as ${type} ${kind}`];
    const state = kind === 'status_update' ? 'update' : delivery.to_state;
    const meant = kind === 'test' || kind === 'closed' || kind === 'combined' ? kind : state;
    // The body is the event of the check's last transition: if a deadline sent the closing alert, an earlier change.
    const isEvent = type === 'webhook' || type === 'nats';
    // The event reports degraded even if the policy of the check counts that as up.
    const mayDiffer = isEvent && (kind === 'closed' || (meant === 'up' && says === 'degraded'));
    return says === meant || mayDiffer ? [] : [`delivery ${delivery_id} (${is}) reports ${says}, expected ${meant}`];
  });
}
