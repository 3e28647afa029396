import * as z from 'zod';
import { channelUrl, defineChannel } from '#lib/channels/channel-type.ts';
import { messageOf } from '#lib/channels/message.ts';
import { fitted, linesOf } from '#lib/channels/plain-text.ts';

const PRIORITY = { bad: 'high', warn: 'default', good: 'default', neutral: 'default' };
const TAGS = { bad: 'red_circle', warn: 'warning', good: 'green_circle', neutral: 'white_circle' };

/** Maximum body size; a longer message becomes an attachment (https://docs.ntfy.sh/publish/#limitations). */
const MAX_BYTES = 4095;

export const ntfy = defineChannel({
  type: 'ntfy',
  title: 'ntfy',
  about:
    'Posts to a topic of ntfy, at ntfy.sh or your own server: title, priority and tags as headers, the text as body.',
  via: 'http',
  read_by: 'people',
  config: z.strictObject({
    url: channelUrl(['https:', 'http:'])
      .refine(
        (text) => !URL.canParse(text) || /^\/.*[^/]$/.test(new URL(text).pathname),
        'must be the full topic URL, such as https://ntfy.sh/my-topic',
      )
      .describe('Full URL of the topic, such as https://ntfy.sh/my-topic.'),
    token: z
      .string()
      .max(512)
      .regex(/^[\x21-\x7e]+$/, 'must be printable ASCII without spaces')
      .describe('Access token of ntfy, for a protected topic; sent as Bearer.')
      .optional(),
  }),
  secrets: ['url', 'token'],
  render(alert, config) {
    const message = messageOf(alert, config);
    const { title, mood, links } = message;
    const [firstLink] = links;
    return {
      via: 'http',
      url: config.url,
      headers: {
        'content-type': 'text/plain; charset=utf-8',
        title: headerText(title),
        priority: alert.urgency === 'low' ? 'low' : PRIORITY[mood],
        tags: TAGS[mood],
        ...(firstLink && { click: headerText(firstLink[1]) }),
        ...(config.token !== undefined && { authorization: `Bearer ${config.token}` }),
      },
      body: fitted(linesOf(message).join('\n'), MAX_BYTES, undefined, Buffer.byteLength),
    };
  },
  examples: {
    valid: [{ url: 'https://ntfy.sh/my-topic' }, { url: 'http://10.0.0.5:8080/ops', token: 'tk_abc' }],
    invalid: [
      { value: {}, path: 'url' },
      { value: { url: 'https://ntfy.sh/' }, path: 'url' },
      { value: { url: 'https://ntfy.sh/ops', token: 'two words' }, path: 'token' },
      { value: { url: 'https://ntfy.sh/ops', token: 'a\r\nX-Evil: 1' }, path: 'token' },
      { value: { url: 'https://ntfy.sh/ops', topic: 'ops' }, path: 'topic' },
    ],
  },
});

/** Formats a header value: printable ASCII without `=?` as is, else encoded words (RFC 2047) of up to 75 characters. */
export function headerText(value: string): string {
  const oneLine = value.replace(/\p{Cc}+/gu, ' ').trim();
  if (/^[\x20-\x7e]*$/.test(oneLine) && !oneLine.includes('=?')) return oneLine;
  const words: string[] = [];
  let word = '';
  for (const character of oneLine) {
    if (Buffer.byteLength(word + character) > 45) {
      words.push(word);
      word = '';
    }
    word += character;
  }
  words.push(word);
  return words.map((part) => `=?UTF-8?B?${Buffer.from(part, 'utf8').toString('base64')}?=`).join(' ');
}
