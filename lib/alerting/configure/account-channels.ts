import * as z from 'zod';
import { auditWriter } from '#lib/access/audit-writer.ts';
import type { Context } from '#lib/access/context.ts';
import { seesSecrets } from '#lib/access/redaction.ts';
import { DeliveryRecord, type LastDeliveryItem } from '#lib/alerting/notify/delivery-item.ts';
import { type AccountAlerting, type AccountChannel, readAlerting } from '#lib/alerting/policy/account-alerting.ts';
import { ACCOUNT_CHANNEL, isAccountChannel } from '#lib/alerting/policy/channel-location.ts';
import { type Audited, isSame } from '#lib/audit/write.ts';
import { type ChannelInput, channelTypes, GroupSeconds, groupSecondsOf } from '#lib/channels/registry.ts';
import { AlertSelector } from '#lib/checks/selector.ts';
import { AppError, notFound } from '#lib/platform/errors.ts';
import type { Reader } from '#lib/platform/http/paging.ts';
import { CreatedAt, IdOf, Unchanged, UpdatedAt } from '#lib/platform/http/route.ts';
import { assertUnchanged } from '#lib/platform/http/validation.ts';
import { pick, withoutNulls } from '#lib/platform/plain-data.ts';
import { REDACTED } from '#lib/platform/secrets/kept-secrets.ts';
import { Name, Slug } from '#lib/platform/text.ts';
import { iso } from '#lib/platform/time.ts';
import { changeAlerting } from './change-alerting.ts';
import { newSettings, withSettings } from './channel-settings.ts';
import { channelsOfChecks } from './check-channels.ts';
import { addressesOf, askNewAddresses, MailAddresses } from './mail-addresses.ts';
import { ChannelRecord } from './policy-schemas.ts';
import { type AboutChannel, deliveryView, withoutSecrets } from './views.ts';

const DESCRIPTIONS = {
  name: 'Display name.',
  slug: 'Unique name within the account; null without one.',
  applies_to: 'Alerts that the channel receives: every property must match. Null: all alerts of all checks.',
  enabled:
    'Whether the channel receives alerts. Unfinished deliveries of a disabled channel are still sent. Default: true.',
  notice: 'Warning that no check matches applies_to yet; else null.',
};

const own = {
  name: Name.describe(DESCRIPTIONS.name),
  slug: Slug.nullable().describe(DESCRIPTIONS.slug).exactOptional(),
  applies_to: AlertSelector.nullable().describe(DESCRIPTIONS.applies_to).exactOptional(),
  enabled: z.boolean().describe(DESCRIPTIONS.enabled).exactOptional(),
};

const bodies = channelTypes.map((channel) =>
  z
    .object({
      channel_type: z.literal(channel.type).describe('Channel type.'),
      config: z.preprocess((config) => withoutNulls(config), channel.config).describe('Settings of this type.'),
      ...groupSecondsOf(channel),
      ...own,
    })
    .meta({ id: `NewAccountChannel_${channel.type}`, title: channel.title, description: channel.about }),
);

type OwnProperties = { [member in keyof typeof own]?: z.output<(typeof own)[member]> };
type NewAccountChannel = OwnProperties & ChannelInput & { name: string };

/** Body of a new account channel; channels/registry.ts explains the casts. */
export const AccountChannelBody = z
  .discriminatedUnion('channel_type', bodies as [(typeof bodies)[0]])
  .meta({ id: 'NewAccountChannel' }) as unknown as z.ZodType<NewAccountChannel>;

/** Changes of an account channel; omitted properties keep their value. */
export const AccountChannelPatch = z
  .object({
    id: Unchanged.exactOptional(),
    channel_type: Unchanged.exactOptional(),
    ...own,
    name: own.name.exactOptional(),
    config: z
      .record(z.string(), z.string().nullable())
      .describe(
        `Settings of its type by name. Omitted settings keep their value, and so does ${REDACTED}; null removes one.`,
      )
      .exactOptional(),
    group_seconds: GroupSeconds.exactOptional(),
  })
  .meta({ id: 'AccountChannelPatch' });
export type AccountChannelPatch = z.infer<typeof AccountChannelPatch>;

export const AccountChannelRecord = z
  .object({
    id: IdOf('the channel'),
    scope: z.literal('account').describe('account: receives the alerts of every check that it applies to.'),
    name: z.string().describe(DESCRIPTIONS.name),
    slug: z.string().nullable().describe(DESCRIPTIONS.slug),
    channel_type: z.string().describe('Channel type.'),
    config: z
      .record(z.string(), z.string())
      .describe('Settings of its type. Callers without write access see ******** for secrets.'),
    addresses: MailAddresses,
    group_seconds: GroupSeconds,
    applies_to: AlertSelector.nullable().describe(DESCRIPTIONS.applies_to),
    enabled: z.boolean().describe(DESCRIPTIONS.enabled),
    created_at: CreatedAt,
    updated_at: UpdatedAt,
    last_delivery: DeliveryRecord.nullable().describe('The latest delivery to it; null before the first.'),
  })
  .meta({ id: 'AccountChannel' });
export type AccountChannelRecord = z.infer<typeof AccountChannelRecord>;

export const ChangedAccountChannel = AccountChannelRecord.extend({
  notice: z.string().nullable().describe(DESCRIPTIONS.notice),
}).meta({ id: 'ChangedAccountChannel' });

const accountChannelView = (
  context: Context,
  channel: AccountChannel,
  { last, addresses = null }: AboutChannel,
): AccountChannelRecord =>
  pick(AccountChannelRecord, {
    ...channel,
    scope: 'account',
    slug: channel.slug ?? null,
    config: seesSecrets(context.caller) ? channel.config : withoutSecrets(channel),
    addresses,
    group_seconds: channel.group_seconds ?? 0,
    last_delivery: last ? deliveryView(context, last) : null,
  });

/** Reads the latest delivery and the addresses of account channels and returns their views. */
export async function accountChannelViews(
  context: Context,
  channels: readonly AccountChannel[],
): Promise<AccountChannelRecord[]> {
  const { ports, keys, tenant } = context;
  const [lasts, addresses] = await Promise.all([
    ports.table.getMany<LastDeliveryItem>(channels.map(({ id }) => keys.lastOfChannel(tenant, id))),
    addressesOf(context, channels),
  ]);
  return channels.map((channel, i) =>
    accountChannelView(context, channel, { last: lasts[i]?.delivery, addresses: addresses[i] }),
  );
}

const propertiesOf = (channel: AccountChannel) => {
  const { name, slug, channel_type, config, group_seconds = 0, applies_to, enabled } = channel;
  return { name, slug, channel_type, config, group_seconds, applies_to, enabled };
};

export const auditedAccountChannel: Audited<AccountChannel> = {
  type: 'channel',
  target: ({ id, name }) => ({ id, name }),
  properties: propertiesOf,
  shown: (channel) => ({ ...propertiesOf(channel), config: withoutSecrets(channel) }),
};

const MAX_CHANNELS = 100;

/** Finds an account channel. @throws AppError NOT_FOUND */
export async function requireAccountChannel(context: Context, id: string): Promise<AccountChannel> {
  return channelIn(await readAlerting(context, context.tenant), id);
}

function channelIn({ channels }: AccountAlerting, id: string): AccountChannel {
  const channel = channels.find((one) => one.id === id);
  if (!channel) throw notFound(`Channel ${id}`);
  return channel;
}

/** Adds an account channel. @throws AppError LIMIT_EXCEEDED beyond 100 channels, CONFLICT for a slug in use */
export async function addAccountChannel(context: Context, input: NewAccountChannel): Promise<AccountChannel> {
  const { ports, keys, tenant } = context;
  const { name, slug, applies_to = null, enabled = true } = input;
  const id = ports.ids.id(ACCOUNT_CHANNEL);
  const now = iso(ports.clock.now());
  const channel: AccountChannel = {
    ...keys.accountChannel(tenant, id),
    v: ports.ids.token(),
    id,
    name,
    ...(slug && { slug }),
    ...newSettings(context, input),
    applies_to,
    enabled,
    created_at: now,
    updated_at: now,
  };
  const auditWrites = auditWriter(context, 'create', auditedAccountChannel);
  await changeAlerting(context, (present) => {
    if (present.channels.length >= MAX_CHANNELS) {
      throw new AppError(
        'LIMIT_EXCEEDED',
        `An account has at most ${MAX_CHANNELS} account channels. Delete one first.`,
      );
    }
    assertSlugFree(present, channel);
    return { writes: [{ put: channel, if: 'absent' }, ...auditWrites(undefined, channel)] };
  });
  await askNewAddresses(context, channel);
  return channel;
}

/** Changes the given properties of an account channel; its type stays. @throws AppError as for a new one */
export async function changeAccountChannel(
  context: Context,
  id: string,
  { id: givenId, channel_type, config, group_seconds, ...own }: AccountChannelPatch,
): Promise<AccountChannel> {
  const { ports } = context;
  const auditWrites = auditWriter(context, 'update', auditedAccountChannel);
  let result: AccountChannel | undefined;
  await changeAlerting(context, (present) => {
    const channel = channelIn(present, id);
    assertUnchanged({ id, channel_type: channel.channel_type }, { id: givenId, channel_type });
    const changed = withSettings(context, withOwn(channel, own), { config, group_seconds });
    assertSlugFree(present, changed);
    result = channel;
    if (isSame(auditedAccountChannel, channel, changed)) return undefined;
    result = { ...changed, v: ports.ids.token(), updated_at: iso(ports.clock.now()) };
    return { writes: [{ put: result, if: { version: channel.v } }, ...auditWrites(channel, result)], rechecks: true };
  });
  await askNewAddresses(context, result!);
  return result!;
}

function withOwn(channel: AccountChannel, { slug, ...own }: OwnProperties): AccountChannel {
  const { slug: before, ...rest } = channel;
  const after = slug === undefined ? before : slug;
  return { ...rest, ...own, ...(after && { slug: after }) };
}

function assertSlugFree({ channels }: AccountAlerting, { id, slug }: AccountChannel): void {
  const other = slug && channels.find((one) => one.slug === slug && one.id !== id);
  if (other) throw new AppError('CONFLICT', `Channel ${other.id} already has the slug ${slug}.`);
}

/** Deletes an account channel. Its unfinished deliveries end as failed, except closing alerts. */
export async function deleteAccountChannel(context: Context, id: string): Promise<void> {
  const { keys, tenant } = context;
  const auditWrites = auditWriter(context, 'delete', auditedAccountChannel);
  await changeAlerting(context, (present) => {
    const channel = channelIn(present, id);
    return {
      writes: [
        { delete: keys.accountChannel(tenant, id), if: { version: channel.v } },
        { delete: keys.lastOfChannel(tenant, id) },
        ...auditWrites(channel, undefined),
      ],
    };
  });
}

export const ListedChannel = z.discriminatedUnion('scope', [AccountChannelRecord, ChannelRecord]);
type ListedChannel = z.infer<typeof ListedChannel>;

/** Reads the channels of the account, then the channels of all checks. */
export function allChannels(context: Context): Reader<ListedChannel> {
  const ofChecks = channelsOfChecks(context);
  return async (after, limit) => {
    if (after !== undefined && !isAccountChannel(after)) return ofChecks(after, limit);
    const { channels } = await readAlerting(context, context.tenant);
    const left = channels.filter(({ id }) => after === undefined || id > after);
    const views = await accountChannelViews(context, left.slice(0, limit));
    const found = views.map((value) => ({ at: value.id, value }));
    if (found.length === limit) return { found, next: found.at(-1)!.at };
    const rest = await ofChecks(undefined, limit - found.length);
    return { ...rest, found: [...found, ...rest.found] };
  };
}
