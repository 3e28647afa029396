import { auditing } from '#lib/access/auditing.ts';
import type { Context } from '#lib/access/context.ts';
import { sendTest } from '#lib/alerting/configure/preview.ts';
import type { DeliveryRecord } from '#lib/alerting/notify/delivery-item.ts';
import type { AccountChannel } from '#lib/alerting/policy/account-alerting.ts';
import { auditedAccountChannel } from './channel-views.ts';

/** Sends a test alert of the account itself, as it is about no check: in one attempt, enabled or not. */
export function testAccountChannel(context: Context, channel: AccountChannel): Promise<DeliveryRecord> {
  const note = auditing(context, 'test', auditedAccountChannel);
  return sendTest(context, { check_id: '', entity_id: '' }, channel, (delivery_id) =>
    note(channel, channel, { delivery_id }),
  );
}
