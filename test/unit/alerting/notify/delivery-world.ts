import { create } from '#functions/deliverer.ts';
import { create as createNotifier } from '#functions/notifier.ts';
import type { LastDeliveryItem } from '#lib/alerting/notify/delivery-item.ts';
import type { Channel } from '#lib/alerting/policy/policy.ts';
import type { RetryBudget } from '#lib/platform/batch.ts';
import { type AlertWorld, alertWorld, queueEvent, streamEvent, TENANT } from '#test/support/alert-world.ts';
import { startReceiver, type WebhookReceiver } from '#test/support/webhook-receiver.ts';

export const SECRET_PATH = '/services/T0SECRET/B0SECRET/topsecret';

/** State of each test, set by `startDelivery`; `id` is that of the last planned delivery. */
export let receiver: WebhookReceiver;
export let world: AlertWorld;
export let id: string;

/** Starts a receiver and a world with one due delivery to a Slack channel. */
export async function startDelivery(env: Record<string, string> = {}, tls = false): Promise<void> {
  await receiver?.close();
  receiver = await startReceiver({ tls });
  world = await alertWorld(env);
  await plan(slack());
}

export const slack = (url = receiver.url + SECRET_PATH): Channel => ({
  id: 'chn_1',
  channel_type: 'slack',
  config: { url },
  created_at: '2026-11-21T00:00:00.000Z',
});

/** Creates a transition to down with an alert for one channel, and fans it out. */
export async function plan(channel: Channel, changes: Parameters<AlertWorld['transition']>[1] = {}): Promise<void> {
  await world.putPolicy([channel]);
  const transition = await world.put(world.transition([channel.id], changes));
  const alert = await world.put(world.alertOf(transition, [channel.id], { at: world.now() }));
  await createNotifier(world.ports)(streamEvent(alert));
  id = alert.to[0]!.delivery_id;
}

/** Handles the deliveries due now. */
export const run = async (budget: RetryBudget = 'more', deliverer = create(world.ports)) =>
  deliverer(
    queueEvent(
      world.takeDue('delivery').map((one) => one.body),
      budget,
    ),
  );

/** Returns the latest delivery of the channel. */
export const last = () => world.table.get<LastDeliveryItem>(world.keys.lastDelivery(TENANT, 'chk_pay', 'chn_1'));
