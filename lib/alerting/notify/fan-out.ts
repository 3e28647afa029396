import { type AlertItem, type AlertTarget, deliveriesOf } from '#lib/alerting/decide/alert-item.ts';
import { joinGroup } from '#lib/alerts/deliver/group-place.ts';
import { channelTypeOf } from '#lib/channels/registry.ts';
import type { Env } from '#lib/env.ts';
import { timeOf } from '#lib/platform/ids.ts';
import type { Write } from '#lib/platform/ports.ts';
import { AGAIN, untilDone } from '#lib/platform/table/retry.ts';
import { iso } from '#lib/platform/time.ts';
import type { DeliveryItem } from './delivery-item.ts';

/**
 * A delivery that was not attempted yet. Its `created_at` is the time in its id, the alert's: lists have that order. It
 * lives as long as the alert.
 */
export function newDelivery(
  { ports, keys }: Env,
  alert: AlertItem,
  { delivery_id: id, channel_id, channel_type, destination }: AlertTarget,
): DeliveryItem {
  const {
    tenant_id,
    kind,
    transition_id,
    transition_sk,
    announces,
    check_id,
    entity_id,
    series,
    step,
    group,
    expires_at,
  } = alert;
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
          },
    group_id: group?.id ?? null,
    ...(group &&
      destination !== undefined &&
      tellsTogether(channel_type) && { leads_to: destination, next_attempt_at: group.at + FANNED_OUT_MS }),
    step: step === undefined ? null : step + 1,
    status: 'pending',
    attempts: 0,
    sent_at: null,
    error: '',
    created_at: iso(timeOf(id)),
    updated_at: iso(made_at),
    made_at,
  };
}

/** So long (ms) after a group's time all its deliveries are made; one that comes later is told by itself. */
const FANNED_OUT_MS = 1_000;

/** People read one message of many; programs go by each alert. */
const tellsTogether = (channel_type: string): boolean => channelTypeOf(channel_type)?.read_by === 'people';

/** The writes that create a delivery: the record, its place among those that are still unsent, and in its group. */
const creation = (env: Env, delivery: DeliveryItem): Write[] => [
  { put: delivery, if: 'absent' },
  { put: { ...env.keys.unsentDelivery(delivery.id), ...(delivery.expires_at && { expires_at: delivery.expires_at }) } },
  ...joinGroup(env, delivery),
];

/**
 * Creates a delivery, or answers what stands there already: its id follows from what it is about.
 * @param beside what else is written in the same transaction
 */
export const createDelivery = (
  env: Env,
  delivery: DeliveryItem,
  beside: () => Write[] = () => [],
): Promise<DeliveryItem> =>
  untilDone(env.ports, async () => {
    const outcome = await env.ports.table.transact([...creation(env, delivery), ...beside()]);
    if (outcome.ok) return delivery;
    return (outcome.present[0] as DeliveryItem | undefined) ?? AGAIN;
  });
