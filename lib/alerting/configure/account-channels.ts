import { auditing } from '#lib/access/auditing.ts';
import type { Context } from '#lib/access/context.ts';
import { type AccountAlerting, type AccountChannel, readAlerting } from '#lib/alerting/policy/account-alerting.ts';
import { ACCOUNT_CHANNEL } from '#lib/alerting/policy/channel-place.ts';
import type { AccountChannelPatch, NewAccountChannel, OwnMembers } from '#lib/alerts/account/channel-schemas.ts';
import { auditedAccountChannel } from '#lib/alerts/account/channel-views.ts';
import { isSame } from '#lib/audit/write.ts';
import { AppError, notFound } from '#lib/platform/errors.ts';
import { mustStay } from '#lib/platform/must-stay.ts';
import { iso } from '#lib/platform/time.ts';
import { changeAlerting } from './change-alerting.ts';
import { changedSettings, newSettings } from './channel-settings.ts';

const MAX_CHANNELS = 100;

/** The channel of the account that a path names. @throws AppError NOT_FOUND */
export async function requireAccountChannel(context: Context, id: string): Promise<AccountChannel> {
  return channelIn(await readAlerting(context, context.tenant), id);
}

function channelIn({ channels }: AccountAlerting, id: string): AccountChannel {
  const channel = channels.find((one) => one.id === id);
  if (!channel) throw notFound(`Channel ${id}`);
  return channel;
}

/** @throws AppError LIMIT_EXCEEDED beyond 100 channels, CONFLICT for a slug that another has */
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
  const note = auditing(context, 'create', auditedAccountChannel);
  await changeAlerting(context, (present) => {
    if (present.channels.length >= MAX_CHANNELS) {
      throw new AppError('LIMIT_EXCEEDED', `An account has at most ${MAX_CHANNELS} channels. Delete one first.`);
    }
    mustBeFree(present, channel);
    return { writes: [{ put: channel, if: 'absent' }, ...note(undefined, channel)] };
  });
  return channel;
}

/** Changes what is given of a channel of the account; its type stays. @throws AppError as for a new one */
export async function changeAccountChannel(
  context: Context,
  id: string,
  { id: _same, channel_type, config = {}, ...own }: AccountChannelPatch,
): Promise<AccountChannel> {
  const { ports } = context;
  const note = auditing(context, 'update', auditedAccountChannel);
  let result: AccountChannel | undefined;
  await changeAlerting(context, (present) => {
    const channel = channelIn(present, id);
    mustStay({ id, channel_type: channel.channel_type }, { id: _same, channel_type });
    const changed = { ...withOwn(channel, own), ...changedSettings(context, channel, config) };
    mustBeFree(present, changed);
    result = channel;
    if (isSame(auditedAccountChannel, channel, changed)) return undefined;
    result = { ...changed, v: ports.ids.token(), updated_at: iso(ports.clock.now()) };
    return { writes: [{ put: result, if: { version: channel.v } }, ...note(channel, result)], wakes: true };
  });
  return result!;
}

function withOwn(channel: AccountChannel, { slug, ...own }: OwnMembers): AccountChannel {
  const { slug: before, ...rest } = channel;
  const after = slug === undefined ? before : slug;
  return { ...rest, ...own, ...(after && { slug: after }) };
}

function mustBeFree({ channels }: AccountAlerting, { id, slug }: AccountChannel): void {
  const other = slug && channels.find((one) => one.slug === slug && one.id !== id);
  if (other) throw new AppError('CONFLICT', `Channel ${other.id} has the slug ${slug} already.`);
}

/** Deletes a channel of the account. What is still on its way to it ends as failed. */
export async function deleteAccountChannel(context: Context, id: string): Promise<void> {
  const { keys, tenant } = context;
  const note = auditing(context, 'delete', auditedAccountChannel);
  await changeAlerting(context, (present) => {
    const channel = channelIn(present, id);
    return {
      writes: [
        { delete: keys.accountChannel(tenant, id), if: { version: channel.v } },
        { delete: keys.lastOfChannel(tenant, id) },
        ...note(channel, undefined),
      ],
    };
  });
}
