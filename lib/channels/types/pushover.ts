import * as z from 'zod';
import { defineChannel } from '#lib/channels/channel-type.ts';
import { messageOf } from '#lib/channels/message.ts';
import { fitted, linesOf } from '#lib/channels/plain-text.ts';
import { shorten } from '#lib/platform/text.ts';

// https://pushover.net/api#limits, in characters.
const MAX_CHARACTERS = { message: 1024, title: 250, url: 512 };
/** Repeats of priority 2 (emergency): every minute for an hour (https://pushover.net/api#priority). */
const EMERGENCY = { retry: 60, expire: 3600 };
const KEY = /^[A-Za-z0-9]{30}$/;

/** Sends a push notification by Pushover (https://pushover.net/api). */
export const pushover = defineChannel({
  type: 'pushover',
  title: 'Pushover',
  about: 'Sends a push notification by Pushover, with a priority by state.',
  via: 'http',
  read_by: 'people',
  config: z.strictObject({
    token: z
      .string()
      .regex(KEY, 'must be the API token of an application: 30 letters and digits')
      .describe('API token of your application.'),
    user: z
      .string()
      .regex(KEY, 'must be the key of a user or group: 30 letters and digits')
      .describe('Key of the receiving user or group.'),
    device: z
      .string()
      .regex(/^[\w-]{1,25}(?:,[\w-]{1,25})*$/, 'must be a name of a device, or several separated by commas')
      .describe('Receiving devices by name, comma-separated. Default: all.')
      .optional(),
    down_priority: z
      .enum(['0', '1', '2'])
      .describe(
        'Priority of urgent alerts that report down. 0: normal. 1: bypasses quiet hours. 2: repeats until confirmed, for up to an hour. Default: 1.',
      )
      .optional(),
  }),
  secrets: ['token', 'user'],
  recipient: ({ user, device = '' }) => `${user}/${device}`,
  render(alert, config) {
    const message = messageOf(alert, config);
    const { title, mood, links } = message;
    const [firstLink] = links;
    const priority = alert.urgency === 'low' ? -1 : mood === 'bad' ? Number(config.down_priority ?? '1') : 0;
    return {
      via: 'http',
      url: 'https://api.pushover.net/1/messages.json',
      receiver: `https://api.pushover.net#${config.token}`,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        token: config.token,
        user: config.user,
        ...(config.device !== undefined && { device: config.device }),
        title: shorten(title, MAX_CHARACTERS.title),
        // Pushover rejects an empty message.
        message: fitted(linesOf({ ...message, links: links.slice(1) }).join('\n'), MAX_CHARACTERS.message) || title,
        priority,
        ...(priority === 2 && EMERGENCY),
        ...(firstLink && firstLink[1].length <= MAX_CHARACTERS.url && { url_title: firstLink[0], url: firstLink[1] }),
        timestamp: Math.floor(Date.parse(alert.event.timestamp) / 1000),
      }),
    };
  },
  // {"status":0,"errors":["user identifier is invalid"]}
  refused: ({ json }) =>
    json.status !== undefined && json.status !== 1
      ? { message: Array.isArray(json.errors) ? json.errors.join('; ') : 'no reason' }
      : undefined,
  examples: {
    valid: [
      { token: 'azGDORePK8gMaC0QOYAMyEEuzJnyUi', user: 'uQiRzpo4DXghDmr9QzzfQu27cmVRsG' },
      {
        token: 'azGDORePK8gMaC0QOYAMyEEuzJnyUi',
        user: 'uQiRzpo4DXghDmr9QzzfQu27cmVRsG',
        device: 'iphone',
        down_priority: '2',
      },
    ],
    invalid: [
      { value: { user: 'uQiRzpo4DXghDmr9QzzfQu27cmVRsG' }, path: 'token' },
      { value: { token: 'azGDORePK8gMaC0QOYAMyEEuzJnyUi', user: 'short' }, path: 'user' },
      {
        value: { token: 'azGDORePK8gMaC0QOYAMyEEuzJnyUi', user: 'uQiRzpo4DXghDmr9QzzfQu27cmVRsG', down_priority: '3' },
        path: 'down_priority',
      },
      {
        value: { token: 'azGDORePK8gMaC0QOYAMyEEuzJnyUi', user: 'uQiRzpo4DXghDmr9QzzfQu27cmVRsG', sound: 'siren' },
        path: 'sound',
      },
    ],
  },
});
