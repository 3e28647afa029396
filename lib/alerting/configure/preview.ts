import * as z from 'zod';
import { auditWriter } from '#lib/access/audit-writer.ts';
import type { Context } from '#lib/access/context.ts';
import { historyExpiry } from '#lib/access/retention.ts';
import type { AlertItem } from '#lib/alerting/decide/alert-item.ts';
import { attemptNow } from '#lib/alerting/notify/deliver.ts';
import { DeliveryRecord, deliveryRecord } from '#lib/alerting/notify/delivery-item.ts';
import { createDelivery, newDelivery } from '#lib/alerting/notify/fan-out.ts';
import { downAlertOf } from '#lib/alerting/notify/make-alert.ts';
import { recordOutcome } from '#lib/alerting/notify/record-outcome.ts';
import type { AccountChannel } from '#lib/alerting/policy/account-alerting.ts';
import type { Channel } from '#lib/alerting/policy/policy.ts';
import type { EntityItem } from '#lib/catalog/entity.ts';
import { EXAMPLE_ALERT } from '#lib/channels/alert.ts';
import { messageOf } from '#lib/channels/message.ts';
import type { Message } from '#lib/channels/message-facts.ts';
import { linesOf } from '#lib/channels/plain-text.ts';
import { channelTypeOf } from '#lib/channels/registry.ts';
import type { CheckItem } from '#lib/checks/check-item.ts';
import type { Write } from '#lib/platform/ports.ts';
import { linksAddress } from '#lib/settings.ts';
import { auditedAccountChannel } from './account-channels.ts';
import { auditedChannel } from './views.ts';

const Preview = z
  .object({
    title: z.string().describe('Title.'),
    body: z.string().describe('Text below the title.'),
  })
  .nullable()
  .describe(
    'Alert as if the check went down now; for an account channel, an example. Without formatting and length limits. Null if programs read the channel.',
  );
type Preview = z.infer<typeof Preview>;

export const TestedChannel = DeliveryRecord.extend({ preview: Preview }).meta({ id: 'TestedChannel' });

/** Returns a preview for an account channel, with an example alert; null if programs read the channel. */
export function examplePreview({ channel_type, config }: Channel): Preview {
  if (channelTypeOf(channel_type)?.read_by !== 'people') return null;
  return previewFrom(messageOf(EXAMPLE_ALERT, config));
}

const previewFrom = (message: Message): Preview => ({ title: message.title, body: linesOf(message).join('\n') });

/** Returns a preview of the alert that a channel would get if the check went down now; null if programs read it. */
export async function previewOf(
  { ports, keys, tenant }: Context,
  check: CheckItem,
  { channel_type, config }: Channel,
): Promise<Preview> {
  if (channelTypeOf(channel_type)?.read_by !== 'people') return null;
  const entity = await ports.table.get<EntityItem>(keys.entity(tenant, check.entity_id));
  if (!entity) return null;
  const about = { check, entity, public_url: linksAddress(ports.settings), now: ports.clock.now() };
  return previewFrom(messageOf(downAlertOf(about), config));
}

/**
 * Sends a test alert now, once, even if the check is silenced. If no send time is free, nothing is sent, and the error
 * of the record says when to try again. For NATS and mail, the record is pending: only the deliverer sends them.
 */
export function testChannel(context: Context, check: CheckItem, channel: Channel): Promise<DeliveryRecord> {
  const tested = { check, channel };
  const auditWrites = auditWriter(context, 'test', auditedChannel);
  return sendTest(context, { check_id: check.id, entity_id: check.entity_id }, channel, (delivery_id) =>
    auditWrites(tested, tested, { delivery_id }),
  );
}

/** Sends a test alert. @param about ids of the check and its entity; empty for an account channel */
async function sendTest(
  context: Context,
  about: TestSubject,
  channel: Channel,
  auditWrites: (delivery_id: string) => Write[],
): Promise<DeliveryRecord> {
  const alert = testAlert(context, about, channel);
  const delivery = newDelivery(context, alert, alert.to[0]!);
  const extraWrites = () => auditWrites(delivery.id);

  if (channelTypeOf(channel.channel_type)?.via !== 'http') {
    return deliveryRecord(
      await createDelivery(context, delivery, () => [{ put: alert, if: 'absent' }, ...extraWrites()]),
    );
  }
  const outcome = await attemptNow(context, delivery);
  return deliveryRecord(await recordOutcome(context, delivery, outcome, extraWrites));
}

type TestSubject = Pick<AlertItem, 'check_id' | 'entity_id'>;

function testAlert({ ports, keys, tenant, caller }: Context, about: TestSubject, channel: Channel): AlertItem {
  const now = ports.clock.now();
  const id = ports.ids.id('alr');
  return {
    ...keys.alert(tenant, about.check_id, now, id),
    expires_at: historyExpiry(now, caller.retention_days),
    tenant_id: tenant,
    id,
    kind: 'test',
    ...about,
    transition_id: null,
    transition_sk: null,
    from_state: null,
    reports_state: null,
    to: [{ channel_id: channel.id, channel_type: channel.channel_type, delivery_id: ports.ids.id('dlv') }],
    urgency: 'high',
  };
}

/** Sends a test alert without a check to an account channel, in one attempt, even if the channel is disabled. */
export function testAccountChannel(context: Context, channel: AccountChannel): Promise<DeliveryRecord> {
  const auditWrites = auditWriter(context, 'test', auditedAccountChannel);
  return sendTest(context, { check_id: '', entity_id: '' }, channel, (delivery_id) =>
    auditWrites(channel, channel, { delivery_id }),
  );
}
