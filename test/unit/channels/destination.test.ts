import { describe, expect, it } from 'vitest';
import { channelTypeOf, channelTypes, destinationDigest } from '#lib/channels/registry.ts';

const of = (channel_type: string, more: Record<string, string> = {}): string =>
  destinationDigest({ channel_type, config: { ...channelTypeOf(channel_type)!.examples.valid[0], ...more } });

describe('two channels with different destinations', () => {
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
  ])('differ for %s with %o', (type, more) => {
    expect(of(type, more)).not.toBe(of(type));
  });
});

it('ignores templates in the destination of a channel', () => {
  for (const { type, read_by } of channelTypes) {
    if (read_by === 'people') expect(of(type, { title_template: '{{state}}' })).toBe(of(type));
  }
});
