import * as z from 'zod';
import { defineChannel } from '#lib/channels/channel-type.ts';
import { messageOf } from '#lib/channels/message.ts';
import { fitted } from '#lib/channels/plain-text.ts';

const MARKS = { bad: '🔴', warn: '🟡', good: '🟢', neutral: '⚪' };
/** Part of the 4,096 characters of a message that the lead may use (https://core.telegram.org/bots/api#sendmessage). */
const MAX_LEAD = 2500;

/** Sends a message as a bot of Telegram (https://core.telegram.org/bots/api#sendmessage). */
export const telegram = defineChannel({
  type: 'telegram',
  title: 'Telegram',
  about: 'Sends a message to a chat, group or channel of Telegram as your bot.',
  via: 'http',
  read_by: 'people',
  config: z.strictObject({
    bot_token: z
      .string()
      .regex(
        /^\d{1,20}:[\w-]{20,100}$/,
        'must be the token that BotFather gives, such as 123456:ABC-DEF1234ghIkl-zyx57W2v1u123',
      )
      .describe('Token of the bot, from @BotFather.'),
    chat_id: z
      .string()
      .regex(
        /^(?:-?\d{1,20}|@\w{4,32})$/,
        'must be the number of a chat, such as -1001234567890, or @name of a public channel',
      )
      .describe('Number of the chat, or @name of a public channel; the bot must be a member.'),
    message_thread_id: z
      .string()
      .regex(/^\d{1,15}$/, 'must be the number of a topic')
      .describe('Number of a topic in a group with topics.')
      .optional(),
  }),
  secrets: ['bot_token'],
  recipient: ({ chat_id, message_thread_id = '' }) => `${chat_id}/${message_thread_id}`,
  render(alert, config) {
    const { title, mood, lead, facts, why, note, links } = messageOf(alert, config);
    const lines = [
      `${MARKS[mood]} <b>${escaped(title)}</b>`,
      fitted(lead, MAX_LEAD, escaped),
      facts.map(([label, value]) => `${escaped(label)}: ${escaped(value)}`).join('\n'),
      why && `<code>${escaped(why)}</code>`,
      note && `<i>${escaped(note)}</i>`,
      links.map(([label, url]) => `<a href="${escaped(url)}">${escaped(label)}</a>`).join(' · '),
    ];
    const { chat_id, message_thread_id } = config;
    return {
      via: 'http',
      url: `https://api.telegram.org/bot${config.bot_token}/sendMessage`,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        chat_id,
        ...(message_thread_id !== undefined && { message_thread_id: Number(message_thread_id) }),
        text: lines.filter(Boolean).join('\n'),
        parse_mode: 'HTML',
        link_preview_options: { is_disabled: true },
        disable_notification: alert.urgency === 'low',
      }),
    };
  },
  // {"ok":false,"error_code":429,"description":"…","parameters":{"retry_after":5}}
  refused({ json }) {
    if (json.ok !== false) return undefined;
    const { retry_after }: { retry_after?: unknown } = json.parameters ?? {};
    return {
      message: String(json.description ?? 'no reason'),
      ...(typeof retry_after === 'number' && { retry_after_ms: retry_after * 1000 }),
    };
  },
  examples: {
    valid: [
      { bot_token: '123456:ABC-DEF1234ghIkl-zyx57W2v1u123', chat_id: '-1001234567890' },
      { bot_token: '123456:ABC-DEF1234ghIkl-zyx57W2v1u123', chat_id: '@fleet_alerts', message_thread_id: '42' },
    ],
    invalid: [
      { value: { chat_id: '1' }, path: 'bot_token' },
      { value: { bot_token: '123456:ABC-DEF1234ghIkl-zyx57W2v1u123' }, path: 'chat_id' },
      { value: { bot_token: '123456:ABC/../x', chat_id: '1' }, path: 'bot_token' },
      { value: { bot_token: '123456:ABC-DEF1234ghIkl-zyx57W2v1u123', chat_id: 'ops room' }, path: 'chat_id' },
      { value: { bot_token: '123456:ABC-DEF1234ghIkl-zyx57W2v1u123', chat_id: '1', silent: 'yes' }, path: 'silent' },
    ],
  },
});

/** Escapes Telegram's HTML: three characters, and the quote, because attributes need it. */
const escaped = (value: string): string =>
  value.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
