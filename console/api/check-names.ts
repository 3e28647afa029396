import { channelName, checkLabel, targetOf } from '#console/rules/check-label.ts';
import type { Callable } from '#console/rules/escalation.ts';
import type { Channel, Check, Policy } from './records.ts';
import { schemas } from './schemas.ts';

type Named = Pick<Check, 'name' | 'check_type'>;

/** What people call a check: its name, else its target. */
export const labelOf = (check: Named): string => checkLabel(check, schemas.checks[check.check_type]);

/** What it looks at; empty for a push check. */
export const targetOfCheck = (check: Named): string => targetOf(check, schemas.checks[check.check_type]);

/** `HTTP request` */
export const typeTitle = (check_type: string): string => schemas.checks[check_type]?.title ?? check_type;

/** `Slack` */
export const channelTitle = (channel_type: string): string => schemas.channels[channel_type]?.title ?? channel_type;

/** A channel by its type and where it leads: `Slack hooks.slack.com`. */
export const labelOfChannel = (channel: Pick<Channel, 'channel_type' | 'config'>): string =>
  [channelTitle(channel.channel_type), channelName(channel)].join(' ').trim();

/** Every channel that gets alerts of a check, as people call it. */
export const channelsOf = ({ channels, account_channels }: Policy): Callable[] => [
  ...channels.map((channel) => ({ id: channel.id, name: labelOfChannel(channel) })),
  ...account_channels,
];
