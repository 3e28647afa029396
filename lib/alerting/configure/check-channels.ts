import { auditWriter } from '#lib/access/audit-writer.ts';
import type { Context } from '#lib/access/context.ts';
import { type LastDeliveryItem, latestDeliveryOf } from '#lib/alerting/notify/delivery-item.ts';
import type { Channel, PolicyItem } from '#lib/alerting/policy/policy.ts';
import type { ChannelInput } from '#lib/channels/registry.ts';
import type { CheckItem } from '#lib/checks/check-item.ts';
import { AppError, notFound } from '#lib/platform/errors.ts';
import type { Reader } from '#lib/platform/http/paging.ts';
import { assertUnchanged } from '#lib/platform/http/validation.ts';
import type { Item } from '#lib/platform/ports.ts';
import { queryMerged } from '#lib/platform/table/pages.ts';
import { iso } from '#lib/platform/time.ts';
import { newSettings, withSettings } from './channel-settings.ts';
import { addressesOf, askNewAddresses } from './mail-addresses.ts';
import { savePolicy } from './policies.ts';
import type { ChannelPatch, ChannelRecord } from './policy-schemas.ts';
import { auditedChannel, channelView, type PolicyOfCheck } from './views.ts';

const MAX_CHANNELS = 10;

/** Pointer from the channels of a tenant to the check whose policy contains the channel. */
type ChannelPointer = Item & { channel_id: string; check_id: string; entity_id: string };

/** Adds a channel. @throws AppError LIMIT_EXCEEDED beyond 10 channels, VALIDATION_ERROR for a forbidden address */
export async function addChannel(context: Context, check: CheckItem, input: ChannelInput): Promise<Channel> {
  const { ports, keys, tenant } = context;
  const channel: Channel = {
    id: ports.ids.id('chn'),
    ...newSettings(context, input),
    created_at: iso(ports.clock.now()),
  };
  const pointer: ChannelPointer = {
    ...keys.channelPointer(tenant, channel.id),
    channel_id: channel.id,
    check_id: check.id,
    entity_id: check.entity_id,
  };
  const auditWrites = auditWriter(context, 'add', auditedChannel);
  const withChannel = ({ stored: policy }: PolicyOfCheck): PolicyItem => {
    if (policy.channels.length >= MAX_CHANNELS) {
      throw new AppError('LIMIT_EXCEEDED', `A check has at most ${MAX_CHANNELS} channels. Remove one first.`);
    }
    return { ...policy, channels: [...policy.channels, channel] };
  };
  await savePolicy(context, check, withChannel, (before) => [
    { put: pointer },
    ...auditWrites(undefined, { check: before.check, channel }),
  ]);
  await askNewAddresses(context, channel);
  return channel;
}

/** Changes settings of a channel; its id, type and last delivery stay. @throws AppError NOT_FOUND, VALIDATION_ERROR */
export async function changeChannel(
  context: Context,
  check: CheckItem,
  id: string,
  { config, group_seconds, ...fixed }: ChannelPatch,
): Promise<Channel> {
  const auditWrites = auditWriter(context, 'update', auditedChannel);
  const sideOf = (one: PolicyOfCheck) => ({ check: one.check, channel: channelOf(one.stored, id) });
  const changed = (channel: Channel): Channel => {
    assertUnchanged({ id, check_id: check.id, channel_type: channel.channel_type }, fixed);
    return withSettings(context, channel, { config, group_seconds });
  };
  const { stored } = await savePolicy(
    context,
    check,
    ({ stored: before }) => ({
      ...before,
      channels: before.channels.map((one) => (one.id === id ? changed(one) : one)),
    }),
    (before, after) => auditWrites(sideOf(before), sideOf(after)),
  );
  const after = channelOf(stored, id);
  await askNewAddresses(context, after);
  return after;
}

/** Removes a channel. Its unfinished deliveries end as failed, except closing alerts. */
export async function removeChannel(context: Context, check: CheckItem, id: string): Promise<void> {
  const { keys, tenant } = context;
  const auditWrites = auditWriter(context, 'remove', auditedChannel);
  const gone = [keys.channelPointer(tenant, id), keys.lastDelivery(tenant, check.id, id)];
  await savePolicy(
    context,
    check,
    ({ stored: policy }) => {
      channelOf(policy, id);
      return { ...policy, channels: policy.channels.filter((channel) => channel.id !== id) };
    },
    (before) => [
      ...gone.map((key) => ({ delete: key })),
      ...auditWrites({ check: before.check, channel: channelOf(before.stored, id) }, undefined),
    ],
  );
}

/** Finds a channel of a policy. @throws AppError NOT_FOUND */
export function channelOf(policy: PolicyItem, id: string): Channel {
  const channel = policy.channels.find((one) => one.id === id);
  if (!channel) throw notFound(`Channel ${id}`);
  return channel;
}

/** Reads the channels of all existing checks, oldest first. */
export const channelsOfChecks =
  (context: Context): Reader<ChannelRecord> =>
  async (after, limit) => {
    const { ports, keys, tenant } = context;
    const page = await queryMerged<ChannelPointer>(
      ports.table,
      keys.buckets.map((bucket) => keys.channels(tenant, bucket)),
      { limit, after },
    );
    const [checks, policies, lasts] = await Promise.all([
      ports.table.getMany(page.items.map(({ check_id }) => keys.check(tenant, check_id))),
      ports.table.getMany<PolicyItem>(page.items.map(({ check_id }) => keys.policy(tenant, check_id))),
      ports.table.getMany<LastDeliveryItem>(
        page.items.map(({ check_id, channel_id }) => keys.lastDelivery(tenant, check_id, channel_id)),
      ),
    ]);
    const present = page.items.flatMap(({ sk, check_id, channel_id }, i) => {
      const channel = checks[i] && policies[i]?.channels.find((one) => one.id === channel_id);
      return channel ? [{ sk, check_id, channel, last: latestDeliveryOf(lasts[i]) }] : [];
    });
    const addresses = await addressesOf(
      context,
      present.map(({ channel }) => channel),
    );
    const found = present.map(({ sk, check_id, channel, last }, i) => ({
      at: sk,
      value: channelView(context, check_id, channel, { last, addresses: addresses[i] }),
    }));
    return { found, next: page.next };
  };
