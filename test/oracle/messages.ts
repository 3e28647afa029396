import { deliveriesIn, type Inside } from './inside.ts';

/** Every alert that a receiver reads, of whatever channel type, says in the form of that type what it is about. */
export function checkMessages({ seen }: Inside): string[] {
  const deliveries = new Map(deliveriesIn(seen).map((one) => [one.id, one]));
  return seen.received.flatMap(({ delivery_id, kind, type, says }) => {
    const delivery = deliveries.get(delivery_id);
    if (!delivery) return [];
    const is = `${delivery.channel_type} ${delivery.kind}`;
    if (`${type} ${kind}` !== is) return [`${delivery_id} is ${is}, it was received as ${type} ${kind}`];
    const meant = kind === 'test' || kind === 'closed' ? kind : delivery.reports_state;
    // Its body is the event of the check's last transition, which a closing note made by a deadline did not close.
    const isEvent = type === 'webhook' || type === 'nats';
    // And it tells of degraded where the policy of the check lets that count as up.
    // A remediation may be given up at a failure that began as degraded, and is down by then.
    const isWorse = kind === 'remediation_failed' && says === 'degraded' && meant === 'down';
    const mayDiffer = isEvent && (kind === 'closed' || isWorse || (meant === 'up' && says === 'degraded'));
    return says === meant || mayDiffer ? [] : [`${delivery_id} (${is}) says ${says}, not ${meant}`];
  });
}
