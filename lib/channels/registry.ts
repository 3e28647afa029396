import { createHash } from 'node:crypto';
import * as z from 'zod';
import { discord } from '#lib/channels/types/discord.ts';
import { addressesIn, email } from '#lib/channels/types/email.ts';
import { googlechat } from '#lib/channels/types/googlechat.ts';
import { gotify } from '#lib/channels/types/gotify.ts';
import { matrix } from '#lib/channels/types/matrix.ts';
import { mattermost } from '#lib/channels/types/mattermost.ts';
import { nats } from '#lib/channels/types/nats.ts';
import { ntfy } from '#lib/channels/types/ntfy.ts';
import { opsgenie } from '#lib/channels/types/opsgenie.ts';
import { pagerduty } from '#lib/channels/types/pagerduty.ts';
import { pushover } from '#lib/channels/types/pushover.ts';
import { slack } from '#lib/channels/types/slack.ts';
import { teams } from '#lib/channels/types/teams.ts';
import { telegram } from '#lib/channels/types/telegram.ts';
import { twilio } from '#lib/channels/types/twilio.ts';
import { webhook } from '#lib/channels/types/webhook.ts';
import { withoutNulls } from '#lib/platform/plain-data.ts';
import { EXAMPLE_ALERT } from './alert.ts';
import type { ChannelType, Send } from './channel-type.ts';

export const channelTypes: readonly ChannelType[] = [
  slack,
  discord,
  webhook,
  nats,
  ntfy,
  email,
  pagerduty,
  opsgenie,
  teams,
  telegram,
  googlechat,
  mattermost,
  pushover,
  gotify,
  matrix,
  twilio,
];

/** Returns the type of a stored channel; undefined if a newer release stored it. */
export const channelTypeOf = (name: string): ChannelType | undefined =>
  channelTypes.find((channel) => channel.type === name);

const MAX_GROUP_SECONDS = 60;

export const GroupSeconds = z
  .int()
  .min(0)
  .max(MAX_GROUP_SECONDS)
  .describe(
    'Seconds for which an alert waits, so that all alerts of that time are sent in one message, 0 to 60. 0: this setting combines none. Default: 0.',
  );

/** Returns the property `group_seconds` of new channels, if alerts of the type can be combined. */
export const groupSecondsOf = ({ has_cases }: ChannelType) =>
  has_cases ? {} : { group_seconds: GroupSeconds.exactOptional() };

const bodies = channelTypes.map((channel) =>
  z
    .object({
      channel_type: z.literal(channel.type).describe('Type of the channel.'),
      config: z.preprocess((config) => withoutNulls(config), channel.config).describe('Settings of this type.'),
      ...groupSecondsOf(channel),
    })
    .meta({ id: `NewChannel_${channel.type}`, title: channel.title, description: channel.about }),
);

export type ChannelInput = { channel_type: string; config: Record<string, string>; group_seconds?: number };

/** Body of a new channel. Casts: zod requires a non-empty tuple, and all values of a config are strings. */
export const ChannelBody = z
  .discriminatedUnion('channel_type', bodies as [(typeof bodies)[0]])
  .meta({ id: 'NewChannel' }) as unknown as z.ZodType<ChannelInput>;

/** Returns the request of a channel for an example alert, which shows the address of the channel. */
export const exampleSend = ({ channel_type, config }: ChannelInput): Send =>
  channelTypeOf(channel_type)!.render(EXAMPLE_ALERT, config);

/** Returns the digest of a channel's destination: type, address and recipient. */
export function destinationDigest(input: ChannelInput): string {
  const send = exampleSend(input);
  const address = addressOf(send);
  const recipient = channelTypeOf(input.channel_type)!.recipient?.(input.config) ?? '';
  const text = JSON.stringify([input.channel_type, address, recipient]);
  return createHash('sha256').update(text).digest('base64url').slice(0, 22);
}

/** Returns the e-mail addresses that receive the alerts of a channel; null if it sends no mail. */
export const mailAddressesIn = ({ channel_type, config }: ChannelInput): string[] | null =>
  channel_type === email.type ? addressesIn(config.to ?? '') : null;

function addressOf(send: Send): string {
  if (send.via === 'http') return send.receiver ?? send.url;
  return send.via === 'nats' ? send.subject : send.mail.to.join(',').toLowerCase();
}
