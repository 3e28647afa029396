import { describe, expect, it } from 'vitest';
import { channelTypeOf, channelTypes, destinationDigest } from '#lib/channels/registry.ts';

const digestOf = (channel_type: string, more: Record<string, string> = {}): string =>
  destinationDigest({ channel_type, config: { ...channelTypeOf(channel_type)!.examples.valid[0], ...more } });

describe('destinationDigest', () => {
  it.each<[string, Record<string, string>]>([
    ['email', { to: 'ann@example.com' }],
    ['pagerduty', { routing_key: 'S0123456789abcdef0123456789ABCDE' }],
    ['opsgenie', { api_key: 'another' }],
    ['telegram', { chat_id: '@others' }],
    ['telegram', { message_thread_id: '7' }],
    ['mattermost', { channel: 'others' }],
    ['pushover', { user: 'vQiRzpo4DXghDmr9QzzfQu27cmVRsG' }],
    ['gotify', { token: 'another' }],
    ['matrix', { room_id: '!other:example.com' }],
    ['twilio', { to: '+4915112345679' }],
  ])('differs for a %s channel with %o', (type, more) => {
    expect(digestOf(type, more)).not.toBe(digestOf(type));
  });

  it('ignores templates', () => {
    for (const { type, read_by } of channelTypes) {
      if (read_by === 'people') expect(digestOf(type, { title_template: '{{state}}' })).toBe(digestOf(type));
    }
  });
});
