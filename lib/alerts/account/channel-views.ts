import type { Context } from '#lib/access/context.ts';
import { seesSecrets } from '#lib/access/redaction.ts';
import { deliveryView, withoutSecrets } from '#lib/alerting/configure/views.ts';
import type { DeliveryRecord, LastDeliveryItem } from '#lib/alerting/notify/delivery-item.ts';
import type { AccountChannel } from '#lib/alerting/policy/account-alerting.ts';
import type { Audited } from '#lib/audit/write.ts';
import { pick } from '#lib/platform/plain-data.ts';
import { AccountChannelRecord } from './channel-schemas.ts';

/** A channel of the account as the caller may see it. */
export const accountChannelView = (
  context: Context,
  channel: AccountChannel,
  last: DeliveryRecord | undefined,
): AccountChannelRecord =>
  pick(AccountChannelRecord, {
    ...channel,
    scope: 'account',
    slug: channel.slug ?? null,
    config: seesSecrets(context.caller) ? channel.config : withoutSecrets(channel),
    last_delivery: last ? deliveryView(context, last) : null,
  });

/** Channels of the account with what was sent to each of late, which is read. */
export async function accountChannelViews(
  context: Context,
  channels: readonly AccountChannel[],
): Promise<AccountChannelRecord[]> {
  const { ports, keys, tenant } = context;
  const lasts = await ports.table.getMany<LastDeliveryItem>(channels.map(({ id }) => keys.lastOfChannel(tenant, id)));
  return channels.map((channel, i) => accountChannelView(context, channel, lasts[i]?.delivery));
}

const membersOf = ({ name, slug, channel_type, config, applies_to, enabled }: AccountChannel) => ({
  name,
  slug,
  channel_type,
  config,
  applies_to,
  enabled,
});

export const auditedAccountChannel: Audited<AccountChannel> = {
  type: 'channel',
  target: ({ id, name }) => ({ id, name }),
  members: membersOf,
  shown: (channel) => ({ ...membersOf(channel), config: withoutSecrets(channel) }),
};
