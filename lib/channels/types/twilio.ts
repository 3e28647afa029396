import * as z from 'zod';
import { channelToken, defineChannel } from '#lib/channels/channel-type.ts';
import { messageOf } from '#lib/channels/message.ts';
import { fitted } from '#lib/channels/plain-text.ts';
import { shorten } from '#lib/platform/text.ts';

/** Maximum length (https://www.twilio.com/docs/api/errors/21617). A segment has 153 characters in GSM-7, else 67. */
const MAX_CHARACTERS = 1600;
const MAX_TITLE = 140;
const MAX_REASON = 120;

/** Sends an SMS by Twilio (https://www.twilio.com/docs/messaging/api/message-resource). */
export const twilio = defineChannel({
  type: 'twilio',
  title: 'SMS (Twilio)',
  about: 'Sends an SMS by Twilio: title, error and one link, kept short because each segment is paid.',
  via: 'http',
  read_by: 'people',
  config: z.strictObject({
    account_sid: z
      .string()
      .regex(/^AC[0-9a-fA-F]{32}$/, 'must be the SID of an account: AC and 32 hex digits')
      .describe('SID of the account.'),
    auth_token: channelToken(100).describe('Auth token of the account.'),
    from: z
      .string()
      .regex(
        /^(?:\+[1-9]\d{6,14}|MG[0-9a-fA-F]{32}|(?=.*[A-Za-z])[A-Za-z0-9 ]{1,11})$/,
        'must be your number such as +15005550006, the SID of a messaging service, or a sender name of up to 11 letters and digits',
      )
      .describe('Your number, the SID of a messaging service (MG…), or a sender name.'),
    to: z
      .string()
      .regex(/^\+[1-9]\d{6,14}$/, 'must be a number with country code, such as +4915112345678')
      .describe('Number of the recipient, with country code: +4915112345678.'),
  }),
  secrets: ['account_sid', 'auth_token'],
  recipient: ({ to = '' }) => to,
  render(alert, config) {
    const { title, lead, why, note, links } = messageOf(alert, config);
    const [firstLink] = links;
    const hasTemplate = config.body_template !== undefined;
    const lines = [
      shorten(title, MAX_TITLE),
      hasTemplate ? lead : shorten(lead, MAX_REASON),
      shorten(why, MAX_REASON),
      alert.kind === 'test' && note,
      firstLink?.[1],
    ].filter(Boolean);
    const form = new URLSearchParams({
      To: config.to,
      [config.from.startsWith('MG') ? 'MessagingServiceSid' : 'From']: config.from,
      Body: fitted(lines.join('\n'), MAX_CHARACTERS),
    });
    return {
      via: 'http',
      url: `https://api.twilio.com/2010-04-01/Accounts/${config.account_sid}/Messages.json`,
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        authorization: `Basic ${Buffer.from(`${config.account_sid}:${config.auth_token}`).toString('base64')}`,
      },
      body: form.toString(),
    };
  },
  // {"code":21211,"message":"…","more_info":"…","status":400}
  refused: ({ status, json }) =>
    status >= 400 && typeof json.message === 'string'
      ? { message: `${json.message}${typeof json.code === 'number' ? ` (error ${json.code})` : ''}` }
      : undefined,
  examples: {
    valid: [
      {
        account_sid: 'AC0123456789abcdef0123456789abcdef',
        auth_token: 'fedcba9876543210fedcba9876543210',
        from: '+15005550006',
        to: '+4915112345678',
      },
    ],
    invalid: [
      { value: { auth_token: 'a', from: '+15005550006', to: '+4915112345678' }, path: 'account_sid' },
      {
        value: {
          account_sid: 'AC0123456789abcdef0123456789abcdef',
          auth_token: 'a',
          from: '+15005550006',
          to: '015112345678',
        },
        path: 'to',
      },
      {
        value: {
          account_sid: 'AC0123456789abcdef0123456789abcdef',
          auth_token: 'a',
          from: '12345678901234567890',
          to: '+4915112345678',
        },
        path: 'from',
      },
      {
        value: {
          account_sid: 'AC0123456789abcdef0123456789abcdef',
          auth_token: 'a',
          from: '+15005550006',
          to: '+4915112345678',
          body: 'x',
        },
        path: 'body',
      },
    ],
  },
});
