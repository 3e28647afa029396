import { type AlertItem, type AlertTarget, deliveriesOf } from '#lib/alerting/decide/alert-item.ts';
import type { AccountChannel } from '#lib/alerting/policy/account-alerting.ts';
import { channelIn, channelKey } from '#lib/alerting/policy/channel-location.ts';
import type { PolicyItem } from '#lib/alerting/policy/policy.ts';
import { channelTypeOf } from '#lib/channels/registry.ts';
import type { Env } from '#lib/env.ts';
import { timeOf } from '#lib/platform/ids.ts';
import type { Write } from '#lib/platform/ports.ts';
import { RETRY, retryOnConflict } from '#lib/platform/table/retry.ts';
import { DAY_MS, iso } from '#lib/platform/time.ts';
import { type DeliveryItem, joinGroup } from './delivery-item.ts';
import { followUp } from './follow-up.ts';
import { recordOutcome } from './record-outcome.ts';

/** Returns a new delivery, which expires with its alert. Its `created_at` is the time in its id: lists sort by it. */
export function newDelivery({ ports, keys }: Env, alert: AlertItem, target: AlertTarget): DeliveryItem {
  const { delivery_id: id, channel_id, channel_type } = target;
  const {
    tenant_id,
    kind,
    transition_id,
    transition_sk,
    from_state,
    reports_state,
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
    ...{
      tenant_id,
      id,
      kind,
      transition_id,
      transition_sk,
      from_state,
      to_state: reports_state,
      check_id,
      entity_id,
      channel_id,
      channel_type,
    },
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
    combined_in: null,
    ...waitForOthers(target, group),
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

/** Returns the properties with which a delivery waits for others of its message; empty if it is sent separately. */
function waitForOthers(
  { delivery_id, channel_type, destination, group_seconds }: AlertTarget,
  group: AlertItem['group'],
): Pick<DeliveryItem, 'leads_to' | 'combines' | 'next_attempt_at'> {
  if (destination === undefined) return {};
  if (group_seconds !== undefined)
    return { leads_to: destination, combines: true, next_attempt_at: timeOf(delivery_id) + group_seconds * 1000 };
  if (!group || !isGrouped(channel_type)) return {};
  return { leads_to: destination, next_attempt_at: group.at + FANNED_OUT_MS };
}

/** Time (ms) after `group.at` by which the deliveries of a group exist; a later one is sent in a further message. */
const FANNED_OUT_MS = 1_000;

/** Whether the channel type receives one message per group; programs receive every alert separately. */
const isGrouped = (channel_type: string): boolean => channelTypeOf(channel_type)?.read_by === 'people';

const creation = (env: Env, delivery: DeliveryItem): Write[] => [
  { put: delivery, if: 'absent' },
  { put: { ...env.keys.unsentDelivery(delivery.id), ...(delivery.expires_at && { expires_at: delivery.expires_at }) } },
  ...joinGroup(env, delivery),
];

/** Creates a delivery, or returns the stored one with its id. @param extraWrites further writes of the creation */
export const createDelivery = (
  env: Env,
  delivery: DeliveryItem,
  extraWrites: () => Write[] = () => [],
): Promise<DeliveryItem> =>
  retryOnConflict(env.ports, async () => {
    const outcome = await env.ports.table.transact([...creation(env, delivery), ...extraWrites()]);
    if (outcome.ok) return delivery;
    return (outcome.present[0] as DeliveryItem | undefined) ?? RETRY;
  });

/** Retention of a message that does not concern a check (ms). */
const MESSAGE_KEPT_MS = 90 * DAY_MS;

/** A message that does not concern a check, with its derived id. `created_at`: its time, ISO 8601. */
type MessageDelivery = Pick<DeliveryItem, 'tenant_id' | 'id' | 'kind' | 'channel_id' | 'channel_type' | 'created_at'> &
  Pick<DeliveryItem, 'channel' | 'report' | 'status_update' | 'status_page_id'>;

/** Delay (ms) of the queue message that handles a delivery after a crash between its creation and its enqueuing. */
const CREATED_MS = 60_000;

/**
 * Creates and enqueues the delivery of a message that does not concern a check. Repeatable: enqueues a pending one
 * again. First enqueues the delivery with a delay: after a crash, the caller repeats the call only if the receiver
 * still exists, and otherwise the delivery would stay pending.
 */
export async function deliverMessage(env: Env, message: MessageDelivery): Promise<void> {
  const { ports, keys } = env;
  const now = ports.clock.now();
  const { tenant_id, id } = message;
  const enqueued = { body: { tenant_id, delivery_id: id }, group: tenant_id };
  await ports.queues.send('delivery', [{ ...enqueued, not_before: now + CREATED_MS }]);
  const { status } = await createDelivery(env, {
    ...message,
    ...keys.delivery(tenant_id, id),
    ...{ v: ports.ids.token(), expires_at: Math.ceil((now + MESSAGE_KEPT_MS) / 1000) },
    ...{ transition_id: null, transition_sk: null, from_state: null, to_state: null, check_id: '', entity_id: '' },
    ...{ alert: null, group_id: null, combined_in: null, step: null },
    ...{ status: 'pending', attempts: 0, sent_at: null, error: '', updated_at: iso(now), made_at: now },
  });
  if (status === 'pending') await ports.queues.send('delivery', [enqueued]);
}

/** Enqueues the deliveries that were not attempted yet. Repeatable. */
async function enqueuePending({ ports }: Env, deliveries: readonly DeliveryItem[]): Promise<void> {
  const pending = deliveries.filter(({ status }) => status === 'pending');
  if (pending.length === 0) return;
  await ports.queues.send(
    'delivery',
    pending.map(({ tenant_id, id, next_attempt_at: at }) => ({
      body: { tenant_id, delivery_id: id, ...(at !== undefined && { due: at }) },
      ...(at !== undefined && { not_before: at }),
      group: tenant_id,
    })),
  );
}

/**
 * Creates and enqueues the deliveries of an alert; a repetition enqueues the pending ones.
 * @param isLast whether this is the last receive: then an error also ends the pending deliveries as failed
 */
export async function fanOut(env: Env, alert: AlertItem, isLast: boolean): Promise<void> {
  try {
    await enqueuePending(env, await ensureDeliveries(env, alert));
  } catch (error) {
    if (isLast) await failPending(env, alert).catch((failure) => logUnrecorded(env, alert, failure));
    throw error;
  }
}

async function ensureDeliveries(env: Env, alert: AlertItem): Promise<DeliveryItem[]> {
  const { ports, keys } = env;
  const { tenant_id, check_id, kind, to } = alert;
  // The policy of a deleted check is deleted too, so the deliveries of its closing alert store the channels.
  const places = to.map(({ channel_id }) => channelKey(keys, tenant_id, check_id, channel_id));
  const items = kind === 'closed' ? await ports.table.getMany<PolicyItem | AccountChannel>(places) : [];
  return Promise.all(
    to.map((target, i) => {
      const channel = channelIn(items[i], target.channel_id);
      return createDelivery(env, { ...newDelivery(env, alert, target), ...(channel && { channel }) });
    }),
  );
}

async function failPending(env: Env, alert: AlertItem): Promise<void> {
  const error = 'internal error: the alert could not be queued for delivery; it has been logged';
  for (const delivery of await ensureDeliveries(env, alert)) {
    if (delivery.status !== 'pending') continue;
    // An error for one delivery does not leave the others pending.
    try {
      await followUp(env, await recordOutcome(env, delivery, { status: 'failed', error, final: true }));
    } catch (failure) {
      logUnrecorded(env, alert, failure, delivery.id);
    }
  }
}

/** Logs an error instead of throwing it, because the caller throws the error that prevented enqueuing. */
function logUnrecorded({ ports }: Env, alert: AlertItem, error: unknown, delivery_id?: string): void {
  const { tenant_id, check_id, transition_id, id: alert_id } = alert;
  ports.log.error('failed delivery not recorded', {
    tenant_id,
    check_id,
    transition_id,
    alert_id,
    delivery_id,
    error,
  });
}
