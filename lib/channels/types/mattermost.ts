import * as z from 'zod';
import { channelUrl, defineChannel } from '#lib/channels/channel-type.ts';
import { messageOf } from '#lib/channels/message.ts';
import { fitted } from '#lib/channels/plain-text.ts';

const COLORS = { bad: '#d93025', warn: '#f9ab00', good: '#1e8e3e', neutral: '#80868b' };
// 16,383 characters per message: https://docs.mattermost.com/developers/integrate/reference/message-attachments
const MAX_LEAD = 8000;

export const mattermost = defineChannel({
  type: 'mattermost',
  title: 'Mattermost',
  about: 'Posts an attachment, colored by state, to an incoming webhook of Mattermost.',
  via: 'http',
  read_by: 'people',
  config: z.strictObject({
    url: channelUrl(['https:', 'http:']).describe('Address of the incoming webhook; it is a secret.'),
    channel: z
      .string()
      .regex(/^[@\w.-]{1,64}$/, 'must be the name of a channel as in its address, such as town-square, or @user')
      .describe('Channel to use instead of the default of the webhook: its name as in its address, or @user.')
      .optional(),
  }),
  secrets: ['url'],
  recipient: ({ channel = '' }) => channel,
  render(alert, config) {
    const { title, mood, lead, facts, why, note, links } = messageOf(alert, config);
    const parts = [
      fitted(lead, MAX_LEAD, plain),
      why && `**Why** ${plain(why)}`,
      links.map(([label, url]) => `[${label}](${url.replaceAll(')', '%29')})`).join(' · '),
    ];
    const attachment = {
      fallback: title,
      color: COLORS[mood],
      title: plain(title),
      ...(alert.urls.check !== null && { title_link: alert.urls.check }),
      text: parts.filter(Boolean).join('\n\n'),
      fields: facts.map(([name, value]) => ({ title: name, value: plain(value), short: true })),
      ...(note && { footer: note }),
    };
    return {
      via: 'http',
      url: config.url,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        ...(config.channel !== undefined && { channel: config.channel }),
        attachments: [attachment],
      }),
    };
  },
  refused: ({ status, json }) =>
    status >= 400 && typeof json.message === 'string' ? { message: json.message } : undefined,
  examples: {
    valid: [
      { url: 'https://mattermost.example.com/hooks/abc' },
      { url: 'http://chat.lan:8065/hooks/abc', channel: 'town-square' },
    ],
    invalid: [
      { value: {}, path: 'url' },
      { value: { url: 'mattermost.example.com/hooks/abc' }, path: 'url' },
      { value: { url: 'https://mattermost.example.com/hooks/abc', channel: 'two words' }, path: 'channel' },
      { value: { url: 'https://mattermost.example.com/hooks/abc', username: 'x' }, path: 'username' },
    ],
  },
});

/** Escapes markdown, and prevents mentions by a zero-width space after @. */
const plain = (value: string): string =>
  value.replace(/[\\*~`|[\]<>#]|(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])/g, '\\$&').replace(/@(?=\w)/g, '@\u200b');
