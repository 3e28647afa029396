import { channelTitle, labelOfChannel } from '#console/api/check-names.ts';
import type { IncidentDetail, ListedChannel } from '#console/api/records.ts';
import { Section } from '#console/parts/page.tsx';
import { Time } from '#console/parts/time.tsx';

/** Returns the name of a channel, or the title of its type if the channel was removed. */
export function nameOfChannel(
  channels: readonly ListedChannel[] | undefined,
  { channel_id, channel_type }: { channel_id: string; channel_type: string },
): string {
  const channel = channels?.find(({ id }) => id === channel_id);
  if (!channel) return channelTitle(channel_type);
  return channel.scope === 'account' ? channel.name : labelOfChannel(channel);
}

type NotifiedProps = { incident: IncidentDetail; channels: readonly ListedChannel[] | undefined };

export const NotifiedChannels = ({ incident: { notified }, channels }: NotifiedProps) => (
  <Section title="Notified channels">
    {notified.length === 0 ? (
      <p class="hint">No channels notified.</p>
    ) : (
      <ul class="incident-checks">
        {notified.map(({ delivery_id, channel_type, channel_ids, at }) => (
          <li key={delivery_id}>
            {channel_ids.map((channel_id) => (
              <a key={channel_id} href={`#/alerts?channel=${channel_id}`} dir="auto">
                {nameOfChannel(channels, { channel_id, channel_type })}
              </a>
            ))}
            <span class="hint">
              <Time at={at} as="full" />
            </span>
          </li>
        ))}
      </ul>
    )}
  </Section>
);
