import * as z from 'zod';
import { channelUrl, defineChannel } from '#lib/channels/channel-type.ts';
import { messageOf, threadKeyOf } from '#lib/channels/message.ts';
import { fitted } from '#lib/channels/plain-text.ts';

const MARKS = { bad: '🔴', warn: '🟡', good: '🟢', neutral: '⚪' };
// 32,000 bytes per message: https://developers.google.com/workspace/chat/api/reference/rest/v1/spaces.messages/create
const MAX_LEAD_BYTES = 16_000;
const HOST = 'chat.googleapis.com';

/** Posts a card to a space of Google Chat: https://developers.google.com/workspace/chat/quickstart/webhooks */
export const googlechat = defineChannel({
  type: 'googlechat',
  title: 'Google Chat',
  about: 'Posts a card to a space of Google Chat by its webhook, one thread per incident or check.',
  via: 'http',
  read_by: 'people',
  config: z.strictObject({
    url: channelUrl(['https:'])
      .refine(
        (text) => !URL.canParse(text) || (new URL(text).hostname === HOST && new URL(text).searchParams.has('token')),
        `must be the webhook of a space, https://${HOST}/v1/spaces/…/messages?key=…&token=…`,
      )
      .describe('Address of the webhook, from "Apps and integrations" of the space; it is a secret.'),
  }),
  secrets: ['url'],
  render(alert, config) {
    const { title, mood, lead, facts, why, note, links } = messageOf(alert, config);
    const url = new URL(config.url);
    url.searchParams.set('messageReplyOption', 'REPLY_MESSAGE_FALLBACK_TO_NEW_THREAD');
    const paragraph = (value: string) => ({ textParagraph: { text: value } });
    const widgets = [
      ...(lead ? [paragraph(fitted(lead, MAX_LEAD_BYTES, escaped, Buffer.byteLength))] : []),
      ...facts.map(([label, value]) => ({ decoratedText: { topLabel: label, text: escaped(value), wrapText: true } })),
      ...(why ? [paragraph(`<b>Why</b> ${escaped(why)}`)] : []),
      ...(note ? [paragraph(`<i>${escaped(note)}</i>`)] : []),
      ...(links.length > 0
        ? [{ buttonList: { buttons: links.map(([text, link]) => ({ text, onClick: { openLink: { url: link } } })) } }]
        : []),
    ];
    return {
      via: 'http',
      url: url.href,
      receiver: config.url,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        text: `${MARKS[mood]} *${literal(title)}*`,
        thread: { threadKey: threadKeyOf(alert) },
        ...(widgets.length > 0 && { cardsV2: [{ cardId: alert.delivery_id, card: { sections: [{ widgets }] } }] }),
      }),
    };
  },
  // {"error":{"code":429,"message":"…","status":"RESOURCE_EXHAUSTED"}}
  refused({ status, json }) {
    const { message }: { message?: unknown } = json.error ?? {};
    return status >= 400 && typeof message === 'string' ? { message: message } : undefined;
  },
  examples: {
    valid: [{ url: 'https://chat.googleapis.com/v1/spaces/AAAA/messages?key=abc&token=def' }],
    invalid: [
      { value: {}, path: 'url' },
      { value: { url: 'https://chat.googleapis.com/v1/spaces/AAAA/messages' }, path: 'url' },
      { value: { url: 'https://chat.example.com/v1/spaces/AAAA/messages?key=a&token=b' }, path: 'url' },
      { value: { url: 'https://chat.googleapis.com/v1/spaces/A/messages?key=a&token=b', space: 'x' }, path: 'space' },
    ],
  },
});

const escaped = (value: string): string =>
  value.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

/** Adds a zero-width space after each markup character, because the markup of a text has no escapes. */
const literal = (value: string): string => value.replace(/[*_~`<]/g, '$&\u200b');
