import type { Context } from '#lib/access/context.ts';
import { redactPaths, redactUrls, seesSecrets } from '#lib/access/redaction.ts';
import { type DeliveryRecord, type LastDeliveryItem, latestDeliveryOf } from '#lib/alerting/notify/delivery-item.ts';
import type { AccountAlerting } from '#lib/alerting/policy/account-alerting.ts';
import { accountChannels, inheritedOf, silencesOf } from '#lib/alerting/policy/effective-policy.ts';
import type { Channel, Policy, PolicyItem } from '#lib/alerting/policy/policy.ts';
import type { Audited } from '#lib/audit/write.ts';
import type { EntityItem } from '#lib/catalog/entity.ts';
import { silenceSettingsView } from '#lib/catalog/silence-settings.ts';
import { channelTypeOf } from '#lib/channels/registry.ts';
import type { CheckItem } from '#lib/checks/check-item.ts';
import { selectionReason } from '#lib/checks/selector.ts';
import { checkLabel, checkTarget } from '#lib/checks/types/registry.ts';
import { pick } from '#lib/platform/plain-data.ts';
import { iso } from '#lib/platform/time.ts';
import { addressesOf } from './mail-addresses.ts';
import { ChannelRecord, PolicyRecord, PolicySettings } from './policy-schemas.ts';

/** Returns the policy of a check as the caller may see it: without `write`, secrets of channels are hidden. */
export async function policyView(
  context: Context,
  { check, entity, stored, policy, account }: PolicyOfCheck,
): Promise<PolicyRecord> {
  const { ports, keys, tenant } = context;
  const [lasts, addresses] = await Promise.all([
    ports.table.getMany<LastDeliveryItem>(
      stored.channels.map((channel) => keys.lastDelivery(tenant, check.id, channel.id)),
    ),
    addressesOf(context, stored.channels),
  ]);
  const now = ports.clock.now();
  return pick(PolicyRecord, {
    ...policy,
    ...silenceSettingsView(stored, now),
    check_id: check.id,
    inherited: inheritedOf(stored),
    silenced_by: silencesOf(stored, { check, entity, account, now }).map(({ until, ...silence }) => ({
      ...silence,
      until: until === undefined ? null : iso(until),
    })),
    channels: stored.channels.map((channel, i) =>
      channelView(context, check.id, channel, { last: latestDeliveryOf(lasts[i]), addresses: addresses[i] }),
    ),
    account_channels: accountChannels({ check, entity, account }).map(({ id, name, channel_type, applies_to }) => ({
      id,
      name,
      channel_type,
      why: selectionReason(applies_to, { check, entity }),
    })),
    updated_at: stored.updated_at,
  });
}

export type AboutChannel = {
  last: DeliveryRecord | undefined;
  addresses: Awaited<ReturnType<typeof addressesOf>>[number] | undefined;
};

export const channelView = (
  context: Context,
  check_id: string,
  channel: Channel,
  { last, addresses = null }: AboutChannel,
): ChannelRecord =>
  pick(ChannelRecord, {
    ...channel,
    scope: 'check',
    check_id,
    config: seesSecrets(context.caller) ? channel.config : withoutSecrets(channel),
    addresses,
    group_seconds: channel.group_seconds ?? 0,
    last_delivery: last ? deliveryView(context, last) : null,
  });

export async function readChannelView(context: Context, check_id: string, channel: Channel): Promise<ChannelRecord> {
  const place = context.keys.lastDelivery(context.tenant, check_id, channel.id);
  const [last, [addresses]] = await Promise.all([
    context.ports.table.get<LastDeliveryItem>(place),
    addressesOf(context, [channel]),
  ]);
  return channelView(context, check_id, channel, { last: latestDeliveryOf(last), addresses });
}

export const deliveryView = ({ caller }: Context, delivery: DeliveryRecord): DeliveryRecord =>
  seesSecrets(caller) ? delivery : { ...delivery, error: redactUrls(delivery.error) };

/** Hides the secrets of a config, or every value if the channel type is unknown. */
export function withoutSecrets({
  channel_type,
  config,
}: Pick<Channel, 'channel_type' | 'config'>): Record<string, string> {
  const type = channelTypeOf(channel_type);
  return redactPaths(config, type ? type.secrets : Object.keys(config));
}

/** Settings of a policy in the audit log, under the id of its check; channels have their own entries. */
export const auditedPolicy: Audited<PolicyOfCheck> = {
  type: 'policy',
  target: ({ check }) => checkTarget(check),
  properties: ({ policy, stored: { silenced = false, silenced_until, silence_reason } }) => ({
    ...pick(PolicySettings, policy),
    silenced,
    silenced_until,
    silence_reason,
  }),
};

type ChannelOfCheck = { check: CheckItem; channel: Channel };

const membersOf = ({ check, channel: { channel_type, config, group_seconds = 0 } }: ChannelOfCheck) => ({
  ...{ check_id: check.id, channel_type, config, group_seconds },
});

export const auditedChannel: Audited<ChannelOfCheck> = {
  type: 'channel',
  target: ({ check, channel }) => ({
    id: channel.id,
    name: `${channel.channel_type} channel of ${checkLabel(check)}`,
    within: [check.id, ...checkTarget(check).within],
  }),
  properties: membersOf,
  shown: (one) => ({ ...membersOf(one), config: withoutSecrets(one.channel) }),
};

/** A check with its stored policy and the policy in effect. */
export type PolicyOfCheck = {
  check: CheckItem;
  entity: EntityItem;
  stored: PolicyItem;
  policy: Policy;
  account: AccountAlerting;
};
