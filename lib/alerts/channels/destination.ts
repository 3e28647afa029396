import { createHash } from 'node:crypto';
import { EXAMPLE_ALERT } from '#lib/channels/alert.ts';
import type { Send } from '#lib/channels/channel-type.ts';
import { type ChannelInput, channelTypeOf } from '#lib/channels/registry.ts';

/** What a channel sends an alert as: its address does not depend on the alert. */
export const exampleSend = ({ channel_type, config }: ChannelInput): Send =>
  channelTypeOf(channel_type)!.render(EXAMPLE_ALERT, config);

/** Digest of where a channel sends to: its type, its address, and the recipient there. */
export function destinationOf(input: ChannelInput): string {
  const send = exampleSend(input);
  const address = addressOf(send);
  const recipient = channelTypeOf(input.channel_type)!.recipient?.(input.config) ?? '';
  const text = JSON.stringify([input.channel_type, address, recipient]);
  return createHash('sha256').update(text).digest('base64url').slice(0, 22);
}

function addressOf(send: Send): string {
  if (send.via === 'http') return send.receiver ?? send.url;
  return send.via === 'nats' ? send.subject : send.mail.to.join(',').toLowerCase();
}
