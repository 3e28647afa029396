import * as z from 'zod';
import { DeliveryRecord } from '#lib/alerting/notify/delivery-item.ts';
import { settingChanges, settingMembers } from '#lib/alerting/policy/settings.ts';
import { SilenceChanges, SilenceMembers } from '#lib/catalog/silence-settings.ts';
import { CreatedAt, IdOf, Unchanged, UpdatedAt } from '#lib/platform/http/route.ts';
import { REDACTED } from '#lib/platform/secrets/kept-secrets.ts';

/** The settings of a policy, of a check or as default of the account. */
export const PolicySettings = z.object(settingMembers);

export const Inherited = z
  .array(z.string())
  .describe('As it was read: a setting that it names, and that is sent unchanged, stays inherited.')
  .exactOptional();

/** The settings of a policy; each may be left out and then keeps its value. */
export const PolicyBody = z
  .object({
    check_id: Unchanged.exactOptional(),
    channels: z
      .array(z.record(z.string(), z.unknown()))
      .describe('May be repeated but not changed: they have endpoints of their own.')
      .exactOptional(),
    ...settingChanges,
    ...SilenceChanges,
    inherited: Inherited,
  })
  .meta({ id: 'PolicySettings' });
export type PolicyInput = z.infer<typeof PolicyBody>;

export const ChannelRecord = z
  .object({
    id: IdOf('the channel'),
    scope: z.literal('check').describe('A channel of one check.'),
    check_id: IdOf('the check whose alerts it gets'),
    channel_type: z.string().describe('What kind of channel it is.'),
    config: z.record(z.string(), z.string()).describe('Settings of its type; a read-only key sees ********.'),
    created_at: CreatedAt,
    last_delivery: DeliveryRecord.nullable().describe('What was sent to it last; null before the first.'),
  })
  .meta({ id: 'Channel' });
export type ChannelRecord = z.infer<typeof ChannelRecord>;

/** What of a channel is changed; the rest keeps its value. */
export const ChannelPatch = z
  .object({
    id: Unchanged.exactOptional(),
    check_id: Unchanged.exactOptional(),
    channel_type: Unchanged.exactOptional(),
    config: z
      .record(z.string(), z.string().nullable())
      .describe(
        `Settings of its type by name: what is left out keeps its value, as ${REDACTED} does; null removes one.`,
      )
      .exactOptional(),
  })
  .meta({ id: 'ChannelPatch' });
export type ChannelPatch = z.infer<typeof ChannelPatch>;

const SilenceRecord = z.object({
  by: z
    .enum(['check', 'entity', 'account'])
    .describe('check: its own policy. entity: its entity is silenced. account: a silence of the account selects it.'),
  id: IdOf('the check, entity or silence'),
  until: z.iso.datetime().nullable().describe('When it ends by itself; null: when it is lifted.'),
  reason: z.string().describe('Why, for people.'),
});

const AppliedChannel = z.object({
  id: IdOf('the channel'),
  name: z.string().describe('What it is called.'),
  channel_type: z.string().describe('What kind of channel it is.'),
  why: z.string().describe('Why it gets alerts of this check.'),
});

export const PolicyRecord = z
  .object({
    check_id: IdOf('the check'),
    ...settingMembers,
    ...SilenceMembers,
    inherited: z
      .array(z.string())
      .describe('Settings that are not set on the check: the defaults of the account hold.'),
    silenced_by: z.array(SilenceRecord).describe('Every silence that holds of it now, its own included.'),
    channels: z.array(ChannelRecord).describe('Its own channels, which get its alerts; at most 10.'),
    account_channels: z.array(AppliedChannel).describe('Channels of the account that get its alerts too.'),
    updated_at: UpdatedAt,
  })
  .meta({ id: 'Policy' });
export type PolicyRecord = z.infer<typeof PolicyRecord>;
