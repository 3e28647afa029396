import * as z from 'zod';
import { DeliveryRecord } from '#lib/alerting/notify/delivery-item.ts';
import { settingChanges, settingMembers } from '#lib/alerting/policy/settings.ts';
import { SilenceChanges, SilenceProperties } from '#lib/catalog/silence-settings.ts';
import { GroupSeconds } from '#lib/channels/registry.ts';
import { CreatedAt, IdOf, Unchanged, UpdatedAt } from '#lib/platform/http/route.ts';
import { REDACTED } from '#lib/platform/secrets/kept-secrets.ts';
import { MailAddresses } from './mail-addresses.ts';

export const PolicySettings = z.object(settingMembers);

export const Inherited = z
  .array(z.string())
  .describe('Inherited settings, as returned. A setting named here stays inherited if it is sent unchanged.')
  .exactOptional();

/** Changes of a policy; omitted settings keep their value. */
export const PolicyBody = z
  .object({
    check_id: Unchanged.exactOptional(),
    channels: z
      .array(z.record(z.string(), z.unknown()))
      .describe('Accepted only unchanged; channels have their own endpoints.')
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
    scope: z.literal('check').describe('check: receives the alerts of one check.'),
    check_id: IdOf('the check whose alerts it gets'),
    channel_type: z.string().describe('Channel type.'),
    config: z
      .record(z.string(), z.string())
      .describe('Settings of its type. Callers without write access see ******** for secrets.'),
    addresses: MailAddresses,
    group_seconds: GroupSeconds,
    created_at: CreatedAt,
    last_delivery: DeliveryRecord.nullable().describe('The latest delivery to it; null before the first.'),
  })
  .meta({ id: 'Channel' });
export type ChannelRecord = z.infer<typeof ChannelRecord>;

/** Changes of a channel; omitted properties keep their value. */
export const ChannelPatch = z
  .object({
    id: Unchanged.exactOptional(),
    check_id: Unchanged.exactOptional(),
    channel_type: Unchanged.exactOptional(),
    config: z
      .record(z.string(), z.string().nullable())
      .describe(
        `Settings of its type by name. Omitted settings keep their value, and so does ${REDACTED}; null removes one.`,
      )
      .exactOptional(),
    group_seconds: GroupSeconds.exactOptional(),
  })
  .meta({ id: 'ChannelPatch' });
export type ChannelPatch = z.infer<typeof ChannelPatch>;

const SilenceRecord = z.object({
  by: z
    .enum(['check', 'entity', 'account'])
    .describe('check: its own policy. entity: its entity is silenced. account: a silence of the account selects it.'),
  id: IdOf('the check, entity or silence'),
  until: z.iso.datetime().nullable().describe('End; null if it lasts until it is removed.'),
  reason: z.string().describe('Reason, human-readable.'),
});

const AppliedChannel = z.object({
  id: IdOf('the channel'),
  name: z.string().describe('Display name.'),
  channel_type: z.string().describe('Channel type.'),
  why: z.string().describe('Human-readable reason why it receives the alerts of this check.'),
});

export const PolicyRecord = z
  .object({
    check_id: IdOf('the check'),
    ...settingMembers,
    ...SilenceProperties,
    inherited: z.array(z.string()).describe('Settings that the check does not set; the defaults of the account apply.'),
    silenced_by: z.array(SilenceRecord).describe('Active silences that match the check, including its own.'),
    channels: z.array(ChannelRecord).describe('Channels of the check, up to 10.'),
    account_channels: z.array(AppliedChannel).describe('Account channels that apply to the check.'),
    updated_at: UpdatedAt,
  })
  .meta({ id: 'Policy' });
export type PolicyRecord = z.infer<typeof PolicyRecord>;
