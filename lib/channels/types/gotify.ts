import * as z from 'zod';
import { channelToken, channelUrl, defineChannel } from '#lib/channels/channel-type.ts';
import { messageOf } from '#lib/channels/message.ts';
import { linesOf } from '#lib/channels/plain-text.ts';

/** Priorities. The Android app plays a sound from 4, and also shows a pop-up from 8. */
const PRIORITY = { bad: 8, warn: 5, good: 4, neutral: 4 };

/** Posts a message to a server of Gotify (https://gotify.net/docs/pushmsg). */
export const gotify = defineChannel({
  type: 'gotify',
  title: 'Gotify',
  about: 'Posts a message to your Gotify server, with a priority by state.',
  via: 'http',
  read_by: 'people',
  config: z.strictObject({
    url: channelUrl(['https:', 'http:'])
      .refine((text) => !/[?#]/.test(text), 'must be the address of the server, without ? and #')
      .describe('Address of the server, such as https://gotify.example.com; without /message.'),
    token: channelToken(100).describe('Token of an application.'),
  }),
  secrets: ['url', 'token'],
  recipient: ({ token = '' }) => token,
  render(alert, config) {
    const message = messageOf(alert, config);
    const { title, mood, links } = message;
    const [firstLink] = links;
    return {
      via: 'http',
      url: `${config.url.replace(/\/+$/, '')}/message`,
      headers: { 'content-type': 'application/json', 'X-Gotify-Key': config.token },
      body: JSON.stringify({
        title,
        // Gotify rejects an empty message.
        message: linesOf(message).join('\n') || title,
        priority: alert.urgency === 'low' ? 2 : PRIORITY[mood],
        extras: {
          'client::display': { contentType: 'text/plain' },
          ...(firstLink && { 'client::notification': { click: { url: firstLink[1] } } }),
        },
      }),
    };
  },
  refused: ({ status, json }) =>
    status >= 400 && typeof json.errorDescription === 'string' ? { message: json.errorDescription } : undefined,
  examples: {
    valid: [{ url: 'https://gotify.example.com', token: 'AiOLxxDxYOCc7bY' }],
    invalid: [
      { value: { token: 'AiOLxxDxYOCc7bY' }, path: 'url' },
      { value: { url: 'https://gotify.example.com' }, path: 'token' },
      { value: { url: 'https://gotify.example.com/message?token=a', token: 'a' }, path: 'url' },
      { value: { url: 'https://gotify.example.com', token: 'a', priority: '5' }, path: 'priority' },
    ],
  },
});
