import { isDeepStrictEqual } from 'node:util';
import { boundTo } from '#lib/access/account.ts';
import { auditing } from '#lib/access/auditing.ts';
import type { Context } from '#lib/access/context.ts';
import { ChannelBody, type ChannelInput, channelTypeOf } from '#lib/alerts/channels/registry.ts';
import { EXAMPLE_ALERT } from '#lib/alerts/deliver/alert.ts';
import type { CheckItem } from '#lib/checks/check-item.ts';
import { type Channel, defaultPolicy, type PolicyItem } from '#lib/checks/policy-item.ts';
import { AppError, invalid, notFound } from '#lib/platform/errors.ts';
import { parse } from '#lib/platform/http/validation.ts';
import { mustStay } from '#lib/platform/must-stay.ts';
import { allowUrl } from '#lib/platform/net/egress.ts';
import type { Item, Write } from '#lib/platform/ports.ts';
import { withKeptSecrets } from '#lib/platform/secrets/kept-secrets.ts';
import type { Settings } from '#lib/platform/settings.ts';
import { AGAIN, untilDone } from '#lib/platform/table/retry.ts';
import { iso } from '#lib/platform/time.ts';
import { sendDeadlines } from '#lib/schedule/jobs.ts';
import { policyDeadlines } from './policy-deadlines.ts';
import type { ChannelPatch, PolicyInput } from './policy-schemas.ts';
import { auditedChannel, auditedPolicy, type PolicyOfCheck } from './views.ts';

/**
 * Access patterns
 * - the policy of a check, its channels inside: one get
 * - all channels of a tenant: pointers in buckets, written with the policy (list-channels.ts)
 * - the latest delivery of a channel: an item beside the policy, written by the deliverer
 */

const MAX_CHANNELS = 10;

/** Leads from a tenant's list of channels to the check whose policy holds the channel. */
export type ChannelPointer = Item & { channel_id: string; check_id: string; entity_id: string };

/** The policy of a check: the stored one, or the defaults. */
export async function readPolicy({ ports, keys, tenant }: Context, check: CheckItem): Promise<PolicyItem> {
  return (await ports.table.get<PolicyItem>(keys.policy(tenant, check.id))) ?? defaultPolicy(keys, check);
}

/** Changes the settings that the input has. */
export function updatePolicy(
  context: Context,
  check: CheckItem,
  { check_id, channels, ...input }: PolicyInput,
): Promise<PolicyItem> {
  mustStay({ check_id: check.id }, { check_id });
  const least = context.ports.settings.MIN_INTERVAL_SECONDS;
  const repeat = input.repeat_interval_seconds ?? 0;
  if (repeat > 0 && repeat < least) throw invalid('repeat_interval_seconds', `must be 0 or at least ${least}`);
  const note = auditing(context, 'update', auditedPolicy);
  return savePolicy(
    context,
    check,
    (policy) => {
      mustBeSameChannels(policy, channels);
      return { ...policy, ...input };
    },
    note,
  );
}

/** A policy can be sent back as it was read: its channels may be repeated, but not changed. */
function mustBeSameChannels({ check_id, channels }: PolicyItem, given: PolicyInput['channels']): void {
  const settings = ({ id, channel_type, config }: { [member in 'id' | 'channel_type' | 'config']?: unknown }) => ({
    id,
    channel_type,
    config,
  });
  if (!given || isDeepStrictEqual(given.map(settings), channels.map(settings))) return;
  const path = `/v1/checks/${check_id}/policy/channels`;
  const how = `POST ${path} adds one, PUT ${path}/{id} changes one, DELETE removes it`;
  throw invalid('channels', `cannot be changed here; ${how}`);
}

/** @throws AppError LIMIT_EXCEEDED beyond 10 channels, VALIDATION_ERROR for an address where channels may not go */
export async function addChannel(context: Context, check: CheckItem, input: ChannelInput): Promise<Channel> {
  const { ports, keys, tenant, caller } = context;
  // Nothing is stored yet that ******** could stand for.
  withKeptSecrets('config', input.config, () => undefined);
  guardAddress(boundTo(ports.settings, caller), input);
  const channel: Channel = {
    id: ports.ids.id('chn'),
    channel_type: input.channel_type,
    config: input.config,
    created_at: iso(ports.clock.now()),
  };
  const pointer: ChannelPointer = {
    ...keys.channelPointer(tenant, channel.id),
    channel_id: channel.id,
    check_id: check.id,
    entity_id: check.entity_id,
  };
  const note = auditing(context, 'add', auditedChannel);
  const withChannel = (policy: PolicyItem): PolicyItem => {
    if (policy.channels.length >= MAX_CHANNELS) {
      throw new AppError('LIMIT_EXCEEDED', `A check has at most ${MAX_CHANNELS} channels. Remove one first.`);
    }
    return { ...policy, channels: [...policy.channels, channel] };
  };
  await savePolicy(context, check, withChannel, (before) => [
    { put: pointer },
    ...note(undefined, { check: before.check, channel }),
  ]);
  return channel;
}

/**
 * Changes the settings of a channel that are given, by its id. It stays the same channel: its type, its last delivery
 * and its place do not change, and an alert that is still on its way goes to where it now leads.
 * @throws AppError NOT_FOUND when it was removed by now, VALIDATION_ERROR as for a new one
 */
export async function changeChannel(
  context: Context,
  check: CheckItem,
  id: string,
  { config = {}, ...fixed }: ChannelPatch,
): Promise<Channel> {
  const { ports, caller } = context;
  const note = auditing(context, 'update', auditedChannel);
  const sideOf = (one: PolicyOfCheck) => ({ check: one.check, channel: channelOf(one.policy, id) });
  const changed = (channel: Channel): Channel => {
    const { channel_type, config: stored } = channel;
    mustStay({ id, check_id: check.id, channel_type }, fixed);
    const kept = new Map(Object.entries(stored));
    const merged = withKeptSecrets('config', { ...stored, ...config }, (name) => kept.get(name));
    const input = parse(ChannelBody, { channel_type, config: merged });
    guardAddress(boundTo(ports.settings, caller), input, stored);
    return { ...channel, config: input.config };
  };
  const policy = await savePolicy(
    context,
    check,
    (before) => ({ ...before, channels: before.channels.map((one) => (one.id === id ? changed(one) : one)) }),
    (before, after) => note(sideOf(before), sideOf(after)),
  );
  return channelOf(policy, id);
}

/**
 * Validates where its alerts would be posted to, without a look-up; names are looked up at each delivery.
 * @param stored settings that it has already: an address that stays is not judged again
 */
function guardAddress(
  { CHECK_EGRESS, EGRESS_ALLOW }: Settings,
  { channel_type, config }: ChannelInput,
  stored: Record<string, string> = {},
): void {
  const send = channelTypeOf(channel_type)!.render(EXAMPLE_ALERT, config);
  if (send.via !== 'http') return;
  const verdict = allowUrl(send.url, CHECK_EGRESS, EGRESS_ALLOW);
  if (verdict.ok) return;
  const origin = new URL(send.url).origin;
  const key = Object.keys(config).find((name) => URL.parse(config[name] ?? '')?.origin === origin);
  if (key !== undefined && config[key] === stored[key]) return;
  throw invalid(key === undefined ? 'config' : `config.${key}`, verdict.reason);
}

/** Removes a channel. Deliveries that are still on their way to it end as failed. */
export async function removeChannel(context: Context, check: CheckItem, id: string): Promise<void> {
  const { keys, tenant } = context;
  const note = auditing(context, 'remove', auditedChannel);
  const gone = [keys.channelPointer(tenant, id), keys.lastDelivery(tenant, check.id, id)];
  await savePolicy(
    context,
    check,
    (policy) => {
      channelOf(policy, id);
      return { ...policy, channels: policy.channels.filter((channel) => channel.id !== id) };
    },
    (before) => [
      ...gone.map((key) => ({ delete: key })),
      ...note({ check: before.check, channel: channelOf(before.policy, id) }, undefined),
    ],
  );
}

/** @throws AppError NOT_FOUND */
export function channelOf(policy: PolicyItem, id: string): Channel {
  const channel = policy.channels.find((one) => one.id === id);
  if (!channel) throw notFound(`Channel ${id}`);
  return channel;
}

/**
 * The one way to write a policy: its next version, and `beside` in the same transaction. It holds on to the check as
 * read, so that no policy is left behind by a check that is being deleted. What changes nothing is not written.
 * @throws AppError NOT_FOUND when the check is gone by now
 */
function savePolicy(
  context: Context,
  { id }: CheckItem,
  change: (policy: PolicyItem) => PolicyItem,
  beside: (before: PolicyOfCheck, after: PolicyOfCheck) => Write[],
): Promise<PolicyItem> {
  const { ports, keys, tenant } = context;
  const v = ports.ids.token();
  return untilDone(ports, async () => {
    const [check, stored] = await ports.table.getMany<[CheckItem, PolicyItem]>([
      keys.check(tenant, id),
      keys.policy(tenant, id),
    ]);
    if (!check) throw notFound(`Check ${id}`);
    if (stored?.v === v) return stored;

    const old = stored ?? defaultPolicy(keys, check);
    const changed = change(old);
    if (isDeepStrictEqual(changed, old)) return old;
    const next: PolicyItem = { ...changed, v, updated_at: iso(ports.clock.now()) };
    const deadlines = await policyDeadlines(context, check, old, next);
    const writes: Write[] = [
      { put: next, if: stored ? { version: stored.v } : 'absent' },
      { check: keys.check(tenant, id), if: { version: check.v } },
      ...deadlines.writes,
      ...beside({ check, policy: old }, { check, policy: next }),
    ];
    if (!(await ports.table.transact(writes)).ok) return AGAIN;
    await sendDeadlines(context, deadlines.deadlines);
    return next;
  });
}
