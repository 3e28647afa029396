import type { AlertItem } from '#lib/alerting/decide/alert-item.ts';
import type { DeliveryItem } from '#lib/alerting/notify/delivery-item.ts';
import { createDelivery, newDelivery } from '#lib/alerting/notify/fan-out.ts';
import { followUp } from '#lib/alerting/notify/follow-up.ts';
import { recordOutcome } from '#lib/alerting/notify/record-outcome.ts';
import type { AccountChannel } from '#lib/alerting/policy/account-alerting.ts';
import { channelIn, channelPlace } from '#lib/alerting/policy/channel-place.ts';
import type { PolicyItem } from '#lib/alerting/policy/policy.ts';
import type { Env } from '#lib/env.ts';
import { enqueuePending } from './enqueue-pending.ts';

/**
 * Makes the deliveries of an alert, and hands them over. They are named by the alert, so that a second time makes
 * nothing anew and sends again only what is still pending.
 * @param isLast what cannot be handed over ends as failed; throws all the same
 */
export async function fanOut(env: Env, alert: AlertItem, isLast: boolean): Promise<void> {
  try {
    const deliveries = await madeOf(env, alert);
    await enqueuePending(
      env,
      alert.tenant_id,
      deliveries.map((delivery) => delivery.id),
    );
  } catch (error) {
    if (isLast) await failPending(env, alert).catch((fault) => noteLeft(env, alert, fault));
    throw error;
  }
}

/** The deliveries of an alert as they stand: made now, or by an earlier call. */
async function madeOf(env: Env, alert: AlertItem): Promise<DeliveryItem[]> {
  const { ports, keys } = env;
  const { tenant_id, check_id, kind, to } = alert;
  // The policy of a check that was deleted goes too: its last alert takes the channels along.
  const places = to.map(({ channel_id }) => channelPlace(keys, tenant_id, check_id, channel_id));
  const items = kind === 'closed' ? await ports.table.getMany<PolicyItem | AccountChannel>(places) : [];
  return Promise.all(
    to.map((target, i) => {
      const channel = channelIn(items[i], target.channel_id);
      return createDelivery(env, { ...newDelivery(env, alert, target), ...(channel && { channel }) });
    }),
  );
}

async function failPending(env: Env, alert: AlertItem): Promise<void> {
  const error = 'the alert could not be handed over for delivery; this is a fault of the service and was logged';
  for (const delivery of await madeOf(env, alert)) {
    if (delivery.status !== 'pending') continue;
    // Each for itself: what keeps one from its end, or from what follows, is no reason to leave the others pending.
    try {
      await followUp(env, await recordOutcome(env, delivery, { status: 'failed', error, final: true }));
    } catch (fault) {
      noteLeft(env, alert, fault, delivery.id);
    }
  }
}

/** Logged, as the error that is thrown is the one for which nothing could be handed over. */
function noteLeft({ ports }: Env, alert: AlertItem, error: unknown, delivery_id?: string): void {
  const { tenant_id, check_id, transition_id, id: alert_id } = alert;
  ports.log.error('a delivery that was given up could not be ended', {
    tenant_id,
    check_id,
    transition_id,
    alert_id,
    delivery_id,
    error,
  });
}
