import { auditing } from '#lib/access/auditing.ts';
import type { Context } from '#lib/access/context.ts';
import { channelTypeOf } from '#lib/alerts/channels/registry.ts';
import { attemptNow } from '#lib/alerts/deliver/deliver.ts';
import { type DeliveryRecord, deliveryRecord } from '#lib/alerts/deliver/delivery-item.ts';
import { recordOutcome } from '#lib/alerts/deliver/record-outcome.ts';
import { createDelivery, newDelivery } from '#lib/alerts/plan/new-delivery.ts';
import type { CheckItem } from '#lib/checks/check-item.ts';
import type { Channel } from '#lib/checks/policy-item.ts';
import { historyExpiry } from '#lib/health/history/retention.ts';
import { auditedChannel } from './views.ts';

/**
 * Sends a test alert now, in one attempt, silenced or not. If the receiver has asked to be left alone, nothing is sent
 * and the record says until when. NATS and mail are left to
 * the deliverer, which alone reaches them: the record is pending.
 */
export async function testChannel(context: Context, check: CheckItem, channel: Channel): Promise<DeliveryRecord> {
  const { ports, tenant } = context;
  const about = {
    tenant_id: tenant,
    id: ports.ids.id('dlv'),
    kind: 'test' as const,
    transition_id: null,
    transition_sk: null,
    announces: null,
    alert: null,
    check_id: check.id,
    entity_id: check.entity_id,
  };
  const delivery = newDelivery(
    context,
    about,
    channel,
    historyExpiry(ports.clock.now(), context.caller.retention_days),
  );

  const tested = { check, channel };
  const note = auditing(context, 'test', auditedChannel);
  const noted = () => note(tested, tested, { delivery_id: delivery.id });

  if (channelTypeOf(channel.channel_type)?.via !== 'http') {
    const body = { tenant_id: tenant, delivery_id: delivery.id };
    await createDelivery(context, delivery, noted);
    await ports.queues.send('delivery', [{ body, group: tenant }]);
    return deliveryRecord(delivery);
  }
  const outcome = await attemptNow(context, delivery);
  return deliveryRecord(await recordOutcome(context, delivery, outcome, noted));
}
