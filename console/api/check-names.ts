import { channelName, checkLabel, targetOf } from '#console/rules/check-label.ts';
import type { StepRecipient } from '#console/rules/escalation.ts';
import type { Channel, Check, Policy } from './records.ts';
import { schemas } from './schemas.ts';

type Named = Pick<Check, 'name' | 'check_type'>;

/** Returns the name of a check, else its target, else its type: `push check`. */
export const labelOf = (check: Named): string => checkLabel(check, schemas.checks[check.check_type]);

/** Returns the target of a check; empty for a push check. */
export const targetOfCheck = (check: Named): string => targetOf(check, schemas.checks[check.check_type]);

export const typeTitle = (check_type: string): string => schemas.checks[check_type]?.title ?? check_type;

export const channelTitle = (channel_type: string): string => schemas.channels[channel_type]?.title ?? channel_type;

/** Returns type and name or destination (`Slack hooks.slack.com`), or only the name if it contains the type. */
export function labelOfChannel(channel: Pick<Channel, 'channel_type' | 'config'>): string {
  const title = channelTitle(channel.channel_type);
  const name = channelName(channel);
  return name.includes(title) ? name : `${title} ${name}`.trim();
}

export const channelsOf = ({ channels, account_channels }: Policy): StepRecipient[] => [
  ...channels.map((channel) => ({ id: channel.id, name: labelOfChannel(channel) })),
  ...account_channels,
];
