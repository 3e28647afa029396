import { auditing } from '#lib/access/auditing.ts';
import type { Context } from '#lib/access/context.ts';
import { channelTypeOf } from '#lib/alerts/channels/registry.ts';
import { attemptNow } from '#lib/alerts/deliver/deliver.ts';
import { type DeliveryItem, type DeliveryRecord, deliveryRecord } from '#lib/alerts/deliver/delivery-item.ts';
import { recordOutcome } from '#lib/alerts/deliver/record-outcome.ts';
import { createDelivery, newDelivery } from '#lib/alerts/plan/new-delivery.ts';
import type { CheckItem } from '#lib/checks/check-item.ts';
import type { Channel } from '#lib/checks/policy-item.ts';
import { historyExpiry } from '#lib/health/history/retention.ts';
import type { Write } from '#lib/platform/ports.ts';
import { auditedChannel } from './views.ts';

/**
 * Sends a test alert now, in one attempt, silenced or not. If the receiver has asked to be left alone, nothing is sent
 * and the record says until when. Over NATS it is left to the deliverer, which alone reaches it: the record is pending.
 */
export function testChannel(context: Context, check: CheckItem, channel: Channel): Promise<DeliveryRecord> {
  const tested = { check, channel };
  const note = auditing(context, 'test', auditedChannel);
  return sendTest(context, { check_id: check.id, entity_id: check.entity_id }, channel, (delivery_id) =>
    note(tested, tested, { delivery_id }),
  );
}

/**
 * The same of any channel.
 * @param about the check that it tells of; empty for a channel of the account
 * @param noted the audit entry, for the transaction that writes the delivery first
 */
export async function sendTest(
  context: Context,
  about: Pick<DeliveryItem, 'check_id' | 'entity_id'>,
  channel: Channel,
  noted: (delivery_id: string) => Write[],
): Promise<DeliveryRecord> {
  const { ports, tenant } = context;
  const test = {
    tenant_id: tenant,
    id: ports.ids.id('dlv'),
    kind: 'test' as const,
    transition_id: null,
    transition_sk: null,
    announces: null,
    alert: null,
    ...about,
  };
  const delivery = newDelivery(context, test, channel, historyExpiry(ports.clock.now(), context.caller.retention_days));
  const beside = () => noted(delivery.id);

  if (channelTypeOf(channel.channel_type)?.via === 'nats') {
    const body = { tenant_id: tenant, delivery_id: delivery.id };
    await createDelivery(context, delivery, beside);
    await ports.queues.send('delivery', [{ body, group: tenant }]);
    return deliveryRecord(delivery);
  }
  const outcome = await attemptNow(context, delivery);
  return deliveryRecord(await recordOutcome(context, delivery, outcome, beside));
}
