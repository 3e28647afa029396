import * as z from 'zod';
import { channelUrl, defineChannel } from '#lib/channels/channel-type.ts';
import { messageOf } from '#lib/channels/message.ts';
import { fitted } from '#lib/channels/plain-text.ts';

const COLORS = { bad: 0xd93025, warn: 0xf9ab00, good: 0x1e8e3e, neutral: 0x80868b };

export const discord = defineChannel({
  type: 'discord',
  title: 'Discord',
  about: 'Posts an embed, colored by state, to a webhook of Discord.',
  via: 'http',
  read_by: 'people',
  config: z.strictObject({ url: channelUrl(['https:', 'http:']).describe('Address of the webhook; it is a secret.') }),
  secrets: ['url'],
  render(alert, config) {
    const { title, mood, lead, facts, why, note, links } = messageOf(alert, config);
    const parts = [
      fitted(lead, MAX_LEAD, escaped),
      why && codeBlock(why),
      links.map(([label, url]) => `[${escaped(label)}](${url.replaceAll(')', '%29')})`).join(' · '),
    ];
    const description = parts.filter(Boolean).join('\n');
    const isLong = escaped(title).length > MAX_TITLE;
    const shown = isLong ? messageOf(alert, config, SHORT_NAME).title : title;
    const embed = {
      title: fitted(shown, MAX_TITLE, escaped),
      ...(description && { description }),
      color: COLORS[mood],
      fields: facts.map(([name, value]) => ({ name, value: escaped(value), inline: true })),
      ...(note && { footer: { text: note } }),
      timestamp: alert.event.timestamp,
    };
    return {
      via: 'http',
      url: config.url,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ embeds: [embed], allowed_mentions: { parse: [] } }),
    };
  },
  examples: {
    valid: [{ url: 'https://discord.com/api/webhooks/1/abc' }],
    invalid: [
      { value: {}, path: 'url' },
      { value: { url: 'discord.com/api/webhooks/1/abc' }, path: 'url' },
      { value: { url: 'https://discord.com/api/webhooks/1/abc', token: 'x' }, path: 'token' },
    ],
  },
});

/** Maximum lengths of an embed title, and of the lead, which is part of a description of at most 4,096 characters. */
const MAX_TITLE = 256;
const MAX_LEAD = 2000;
/** Name length at which the title fits even if all characters are escaped. */
const SHORT_NAME = 50;

/** Escapes Discord's markdown; an underscore within a word has no meaning and is kept. */
const escaped = (value: string): string => value.replace(/[\\*~`|<>[\]@#]|(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])/g, '\\$&');

/** Formats a code block; a fence within the text is split by zero-width spaces, so that it cannot end the block. */
const codeBlock = (value: string): string => `\`\`\`\n${value.replaceAll('```', '`\u200b`\u200b`')}\n\`\`\``;
