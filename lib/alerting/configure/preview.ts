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
import { auditedAccountChannel } from './account-channels.ts';
import { auditedChannel } from './views.ts';

const Preview = z
  .object({
    title: z.string().describe('Its title.'),
    body: z.string().describe('All below the title, as plain text.'),
  })
  .nullable()
  .describe(
    "What the channel would say if the check went down now, in its own words where it has templates; null where programs read it. A type's own form and limits come on top.",
  );
type Preview = z.infer<typeof Preview>;

/** The answer of a test. */
export const TestedChannel = DeliveryRecord.extend({ preview: Preview }).meta({ id: 'TestedChannel' });

/** What a channel of the account would say of some check. */
export function examplePreview({ channel_type, config }: Channel): Preview {
  if (channelTypeOf(channel_type)?.read_by !== 'people') return null;
  return shown(messageOf(EXAMPLE_ALERT, config));
}

const shown = (message: Message): Preview => ({ title: message.title, body: linesOf(message).join('\n') });

/** What a channel would say if the check went down now. */
export async function previewOf(
  { ports, keys, tenant }: Context,
  check: CheckItem,
  { channel_type, config }: Channel,
): Promise<Preview> {
  if (channelTypeOf(channel_type)?.read_by !== 'people') return null;
  const entity = await ports.table.get<EntityItem>(keys.entity(tenant, check.entity_id));
  if (!entity) return null;
  const about = { check, entity, public_url: ports.settings.PUBLIC_URL, now: ports.clock.now() };
  return shown(messageOf(downAlertOf(about), config));
}

/**
 * Sends a test alert now, in one attempt, silenced or not. If the receiver has asked to be left alone, nothing is sent
 * and the record says until when. NATS and mail are left to the deliverer, which alone reaches them: then it is
 * pending.
 */
export function testChannel(context: Context, check: CheckItem, channel: Channel): Promise<DeliveryRecord> {
  const tested = { check, channel };
  const note = auditWriter(context, 'test', auditedChannel);
  return sendTest(context, { check_id: check.id, entity_id: check.entity_id }, channel, (delivery_id) =>
    note(tested, tested, { delivery_id }),
  );
}

/**
 * The same of any channel.
 * @param about the check that it tells of; empty for a channel of the account
 * @param noted the audit entry, for the transaction that writes the delivery first
 */
async function sendTest(
  context: Context,
  about: AboutTest,
  channel: Channel,
  noted: (delivery_id: string) => Write[],
): Promise<DeliveryRecord> {
  const alert = testAlert(context, about, channel);
  const delivery = newDelivery(context, alert, alert.to[0]!);
  const beside = () => noted(delivery.id);

  if (channelTypeOf(channel.channel_type)?.via !== 'http') {
    return deliveryRecord(await createDelivery(context, delivery, () => [{ put: alert, if: 'absent' }, ...beside()]));
  }
  const outcome = await attemptNow(context, delivery);
  return deliveryRecord(await recordOutcome(context, delivery, outcome, beside));
}

type AboutTest = Pick<AlertItem, 'check_id' | 'entity_id'>;

/** It tells of no transition and reports no state. */
function testAlert({ ports, keys, tenant, caller }: Context, about: AboutTest, channel: Channel): AlertItem {
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
    reports_state: null,
    to: [{ channel_id: channel.id, channel_type: channel.channel_type, delivery_id: ports.ids.id('dlv') }],
    urgency: 'high',
  };
}

/** Sends a test alert of the account itself, as it is about no check: in one attempt, enabled or not. */
export function testAccountChannel(context: Context, channel: AccountChannel): Promise<DeliveryRecord> {
  const note = auditWriter(context, 'test', auditedAccountChannel);
  return sendTest(context, { check_id: '', entity_id: '' }, channel, (delivery_id) =>
    note(channel, channel, { delivery_id }),
  );
}
