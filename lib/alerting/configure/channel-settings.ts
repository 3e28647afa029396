import { settingsFor } from '#lib/access/account.ts';
import type { Context } from '#lib/access/context.ts';
import type { Channel } from '#lib/alerting/policy/policy.ts';
import { ChannelBody, type ChannelInput, destinationDigest, exampleSend } from '#lib/channels/registry.ts';
import { allowUrl } from '#lib/net/egress.ts';
import { invalid } from '#lib/platform/errors.ts';
import { parse } from '#lib/platform/http/validation.ts';
import { withKeptSecrets } from '#lib/platform/secrets/kept-secrets.ts';

type Settings = Pick<Channel, 'channel_type' | 'config' | 'destination' | 'group_seconds'>;

/** Returns the settings of a new channel. @throws AppError VALIDATION_ERROR for an address that egress rules deny */
export function newSettings(context: Context, { channel_type, config, group_seconds }: ChannelInput): Settings {
  // A new channel has no stored value that ******** can keep.
  withKeptSecrets('config', config, () => undefined);
  guardAddress(context, { channel_type, config });
  const destination = destinationDigest({ channel_type, config });
  return { channel_type, config, destination, ...(group_seconds && { group_seconds }) };
}

/** Changed settings. `config`: settings by name; null removes one, and ******** keeps the stored value. */
type Changes = { config?: Record<string, string | null> | undefined; group_seconds?: number | undefined };

/** Returns a channel with changed settings. @throws AppError as for a new channel */
export function withSettings<Of extends Settings>(
  context: Context,
  { group_seconds: before, ...channel }: Of,
  { config = {}, group_seconds = before }: Changes,
): Omit<Of, 'group_seconds'> & Settings {
  const { channel_type, config: stored } = channel;
  const kept = new Map(Object.entries(stored));
  const merged = withKeptSecrets('config', { ...stored, ...config }, (name) => kept.get(name));
  const input = parse(ChannelBody, { channel_type, config: merged, ...(group_seconds && { group_seconds }) });
  guardAddress(context, input, stored);
  return { ...channel, ...input, destination: destinationDigest(input) };
}

/** Validates a changed address by the egress rules. Does not resolve names, because each delivery does. */
function guardAddress({ ports, caller }: Context, input: ChannelInput, stored: Record<string, string> = {}): void {
  const { CHECK_EGRESS, EGRESS_ALLOW } = settingsFor(ports.settings, caller);
  const { config } = input;
  const send = exampleSend(input);
  if (send.via !== 'http') return;
  const verdict = allowUrl(send.url, CHECK_EGRESS, EGRESS_ALLOW);
  if (verdict.ok) return;
  const origin = new URL(send.url).origin;
  const key = Object.keys(config).find((name) => URL.parse(config[name] ?? '')?.origin === origin);
  if (key !== undefined && config[key] === stored[key]) return;
  throw invalid(key === undefined ? 'config' : `config.${key}`, verdict.reason);
}
