import * as z from 'zod';
import { DeliveryRecord } from '#lib/alerting/notify/delivery-item.ts';
import { AlertSelector } from '#lib/alerting/policy/selector.ts';
import { channelTypes } from '#lib/channels/registry.ts';
import { CreatedAt, IdOf, Unchanged, UpdatedAt } from '#lib/platform/http/members.ts';
import { REDACTED } from '#lib/platform/secrets/redacted.ts';
import { Name, Slug } from '#lib/platform/text.ts';
import { withoutNulls } from '#lib/platform/without-nulls.ts';

const MEANINGS = {
  name: 'What people call it.',
  slug: 'Names it within the account; null: it has none.',
  applies_to: 'Which alerts it gets: those that fit every member. null: of all checks, whatever they say.',
  enabled: 'Whether it gets alerts; what is on its way goes out all the same. Default true.',
  notice: 'Said where no check fits applies_to at present; else null.',
};

const own = {
  name: Name.describe(MEANINGS.name),
  slug: Slug.nullable().describe(MEANINGS.slug).exactOptional(),
  applies_to: AlertSelector.nullable().describe(MEANINGS.applies_to).exactOptional(),
  enabled: z.boolean().describe(MEANINGS.enabled).exactOptional(),
};

const bodies = channelTypes.map((channel) =>
  z
    .object({
      channel_type: z.literal(channel.type).describe('What kind of channel it is.'),
      config: z.preprocess((config) => withoutNulls(config), channel.config).describe('Settings of this type.'),
      ...own,
    })
    .meta({ id: `NewAccountChannel_${channel.type}`, title: channel.title, description: channel.about }),
);

/** What of a channel of the account somebody says beside its type and settings. */
export type OwnMembers = { [member in keyof typeof own]?: z.output<(typeof own)[member]> };
export type NewAccountChannel = OwnMembers & { name: string; channel_type: string; config: Record<string, string> };

/** The body of a new channel of the account. The casts as for a channel of a check (channels/registry.ts). */
export const AccountChannelBody = z
  .discriminatedUnion('channel_type', bodies as [(typeof bodies)[0]])
  .meta({ id: 'NewAccountChannel' }) as unknown as z.ZodType<NewAccountChannel>;

/** What of a channel of the account is changed; the rest keeps its value. */
export const AccountChannelPatch = z
  .object({
    id: Unchanged.exactOptional(),
    channel_type: Unchanged.exactOptional(),
    ...own,
    name: own.name.exactOptional(),
    config: z
      .record(z.string(), z.string().nullable())
      .describe(
        `Settings of its type by name: what is left out keeps its value, as ${REDACTED} does; null removes one.`,
      )
      .exactOptional(),
  })
  .meta({ id: 'AccountChannelPatch' });
export type AccountChannelPatch = z.infer<typeof AccountChannelPatch>;

export const AccountChannelRecord = z
  .object({
    id: IdOf('the channel'),
    scope: z.literal('account').describe('A channel of the account: of every check that it applies to.'),
    name: z.string().describe(MEANINGS.name),
    slug: z.string().nullable().describe(MEANINGS.slug),
    channel_type: z.string().describe('What kind of channel it is.'),
    config: z.record(z.string(), z.string()).describe('Settings of its type; a read-only key sees ********.'),
    applies_to: AlertSelector.nullable().describe(MEANINGS.applies_to),
    enabled: z.boolean().describe(MEANINGS.enabled),
    created_at: CreatedAt,
    updated_at: UpdatedAt,
    last_delivery: DeliveryRecord.nullable().describe('What was sent to it of late; null before the first.'),
  })
  .meta({ id: 'AccountChannel' });
export type AccountChannelRecord = z.infer<typeof AccountChannelRecord>;

/** The answer to a change of one. */
export const ChangedAccountChannel = AccountChannelRecord.extend({
  notice: z.string().nullable().describe(MEANINGS.notice),
}).meta({ id: 'ChangedAccountChannel' });
