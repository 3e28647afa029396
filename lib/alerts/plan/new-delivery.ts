import type { DeliveryItem } from '#lib/alerts/deliver/delivery-item.ts';
import type { Env } from '#lib/env.ts';
import { type AlertItem, type AlertTarget, deliveriesOf } from '#lib/health/alerting/alert-item.ts';
import type { Keys } from '#lib/keys.ts';
import { timeOf } from '#lib/platform/ids.ts';
import type { Write } from '#lib/platform/ports.ts';
import { AGAIN, untilDone } from '#lib/platform/table/retry.ts';
import { iso } from '#lib/platform/time.ts';

/**
 * A delivery that was not attempted yet. Its `created_at` is the time in its id, the alert's: lists have that order. It
 * lives as long as the alert.
 */
export function newDelivery(
  { ports, keys }: Env,
  alert: AlertItem,
  { delivery_id: id, channel_id, channel_type }: AlertTarget,
): DeliveryItem {
  const { tenant_id, kind, transition_id, transition_sk, announces, check_id, entity_id, series, step, expires_at } =
    alert;
  const made_at = ports.clock.now();
  return {
    ...keys.delivery(tenant_id, id),
    v: ports.ids.token(),
    ...(expires_at !== undefined && { expires_at }),
    ...{ tenant_id, id, kind, transition_id, transition_sk, announces, check_id, entity_id, channel_id, channel_type },
    alert:
      kind === 'test'
        ? null
        : {
            id: alert.id,
            sk: alert.sk,
            deliveries: deliveriesOf(alert),
            ...(series && { series }),
            ...(step !== undefined && { step }),
          },
    status: 'pending',
    attempts: 0,
    sent_at: null,
    error: '',
    created_at: iso(timeOf(id)),
    updated_at: iso(made_at),
    made_at,
  };
}

/** The writes that create a delivery: the record, and its place among those that are still unsent. */
const creation = (keys: Keys, delivery: DeliveryItem): Write[] => [
  { put: delivery, if: 'absent' },
  { put: { ...keys.unsentDelivery(delivery.id), ...(delivery.expires_at && { expires_at: delivery.expires_at }) } },
];

/**
 * Creates a delivery, or answers what stands there already: its id follows from what it is about.
 * @param beside what else is written in the same transaction
 */
export const createDelivery = (
  { ports, keys }: Env,
  delivery: DeliveryItem,
  beside: () => Write[] = () => [],
): Promise<DeliveryItem> =>
  untilDone(ports, async () => {
    const outcome = await ports.table.transact([...creation(keys, delivery), ...beside()]);
    if (outcome.ok) return delivery;
    return (outcome.present[0] as DeliveryItem | undefined) ?? AGAIN;
  });
