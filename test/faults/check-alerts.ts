import type { DeliveryItem } from '#lib/alerts/delivery-item.ts';
import type { TransitionItem } from '#lib/health/transition-item.ts';
import type { Run } from './simulate.ts';

/** Failures that no further attempt could mend. */
const IN_VAIN = /deleted|removed/;

/** Every planned alert was told or ended as a visible failure, and nothing else was told. */
export function checkAlerts({ seen, profile }: Run): string[] {
  const wrong: string[] = [];
  const items = [...seen.table.values()];
  const deliveries = new Map(
    items.filter((item): item is DeliveryItem => item.pk.includes('#DELIVERIES#')).map((item) => [item.id, item]),
  );
  const taken = new Set(seen.received.filter(({ status }) => status === 200).map(({ delivery_id }) => delivery_id));
  const planned = new Set<string>();

  for (const item of items) {
    if (!item.sk.startsWith('TR#')) continue;
    const { alert, transition_id } = item as TransitionItem;
    for (const id of alert.deliveries) {
      planned.add(id);
      const delivery = deliveries.get(id);
      if (!delivery) wrong.push(`${transition_id}: delivery ${id} was planned and never made`);
      else if (delivery.status === 'sent' && !taken.has(id)) wrong.push(`${id} is sent, but nobody took it`);
      else if (delivery.status === 'failed') {
        if (profile.quiet && delivery.attempts !== 3 && !IN_VAIN.test(delivery.error))
          wrong.push(`${id} failed after ${delivery.attempts} attempts: ${delivery.error}`);
      } else if (delivery.status !== 'sent') wrong.push(`${id} is still ${delivery.status}`);
    }
  }
  for (const { id, kind } of deliveries.values()) {
    if (kind === 'state_change' && !planned.has(id)) wrong.push(`${id} was made and never planned`);
  }
  for (const { delivery_id, kind } of seen.received) {
    if (kind === 'state_change' && !planned.has(delivery_id))
      wrong.push(`${delivery_id} was received and never planned`);
    if (!deliveries.has(delivery_id)) wrong.push(`${delivery_id} was received and is not logged`);
  }
  return wrong;
}
