import { channelIn, channelPlace } from '#lib/alerts/channels/channel-place.ts';
import type { DeliveryItem } from '#lib/alerts/deliver/delivery-item.ts';
import { eventOf } from '#lib/alerts/deliver/event.ts';
import { followUp } from '#lib/alerts/deliver/follow-up.ts';
import { recordOutcome } from '#lib/alerts/deliver/record-outcome.ts';
import type { AnnouncedAlert } from '#lib/checks/check-item.ts';
import type { DeliveryKind } from '#lib/checks/delivery-id.ts';
import type { PolicyItem } from '#lib/checks/policy-item.ts';
import type { Env } from '#lib/env.ts';
import type { AccountChannel } from '#lib/health/alerting/account-alerting.ts';
import { closingId } from '#lib/health/state/change-state.ts';
import type { TransitionItem } from '#lib/health/state/transition-item.ts';
import { enqueuePending } from './enqueue-pending.ts';
import { createDelivery, newDelivery } from './new-delivery.ts';

/**
 * What follows from a transition: a delivery for each channel of its alert, and the event on the bus. Everything
 * is named by the transition, so that a second time makes nothing anew and sends again only what is still pending.
 * @param isLast what cannot be handed over ends as failed; throws all the same
 */
export async function fanOut(env: Env, transition: TransitionItem, isLast: boolean): Promise<void> {
  try {
    const deliveries = await deliveriesOf(env, transition);
    await enqueuePending(
      env,
      transition.tenant_id,
      deliveries.map((delivery) => delivery.id),
    );
  } catch (error) {
    if (isLast) await failPending(env, transition).catch((fault) => noteLeft(env, transition, fault));
    throw error;
  }
  if (transition.cause === 'result' || transition.cause === 'silence') {
    await env.ports.bus.publish([{ detail_type: 'state_change', detail: eventOf(transition) }]);
  }
}

type Planned = {
  kind: Extract<DeliveryKind, 'state_change' | 'closed'>;
  alert_id: string;
  announces: AnnouncedAlert['announces'];
  deliveries: string[];
  channel_ids: string[];
};

/** What the transition planned: its alert, or the closing note of a check that is disabled or deleted. */
export function plannedOf({
  alert,
  channel_ids,
  closing,
  transition_id,
  announces,
}: TransitionItem): Planned | undefined {
  if (closing) return { kind: 'closed', alert_id: closingId(transition_id), announces: 'up', ...closing };
  if (alert.deliveries.length === 0) return undefined;
  return {
    kind: 'state_change',
    alert_id: transition_id,
    announces,
    deliveries: alert.deliveries,
    channel_ids,
  };
}

/** The deliveries of a transition as they stand: made now, or by an earlier call. */
async function deliveriesOf(env: Env, transition: TransitionItem): Promise<DeliveryItem[]> {
  const { ports, keys } = env;
  const planned = plannedOf(transition);
  if (!planned) return [];
  const { tenant_id, check_id, entity_id, transition_id } = transition;
  const { kind, announces, deliveries } = planned;
  const places = await ports.table.getMany<PolicyItem | AccountChannel>(
    planned.channel_ids.map((id) => channelPlace(keys, tenant_id, check_id, id)),
  );
  const alert = { id: planned.alert_id, deliveries };
  return Promise.all(
    deliveries.map((id, i) => {
      const about = {
        tenant_id,
        id,
        kind,
        transition_id,
        transition_sk: transition.sk,
        announces,
        check_id,
        entity_id,
        alert,
      };
      const channel_id = planned.channel_ids[i]!;
      const channel = channelIn(places[i], channel_id);
      const fresh = newDelivery(env, about, channel ?? { id: channel_id, channel_type: '' }, transition.expires_at);
      return createDelivery(env, kind === 'closed' && channel ? { ...fresh, channel } : fresh);
    }),
  );
}

async function failPending(env: Env, transition: TransitionItem): Promise<void> {
  const error = 'the alert could not be handed over for delivery; this is a fault of the service and was logged';
  for (const delivery of await deliveriesOf(env, transition)) {
    if (delivery.status !== 'pending') continue;
    // Each for itself: what keeps one from its end, or from what follows, is no reason to leave the others pending.
    try {
      await followUp(env, await recordOutcome(env, delivery, { status: 'failed', error, final: true }));
    } catch (fault) {
      noteLeft(env, transition, fault, delivery.id);
    }
  }
}

/** Logged, as the error that is thrown is the one for which nothing could be handed over. */
function noteLeft({ ports }: Env, transition: TransitionItem, error: unknown, delivery_id?: string): void {
  const { tenant_id, check_id, transition_id } = transition;
  ports.log.error('a delivery that was given up could not be ended', {
    tenant_id,
    check_id,
    transition_id,
    delivery_id,
    error,
  });
}
