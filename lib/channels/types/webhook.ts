import { createHmac } from 'node:crypto';
import * as z from 'zod';
import { channelUrl, defineChannel } from '#lib/channels/channel-type.ts';
import { bodyOf } from '#lib/channels/payload.ts';

/** Posts the alert as JSON, signed with the secret, if any (docs/use/webhooks.md#signatures). */
export const webhook = defineChannel({
  type: 'webhook',
  title: 'Webhook',
  about: 'Posts the alert as JSON to your URL, signed if a secret is set.',
  via: 'http',
  read_by: 'programs',
  config: z.strictObject({
    url: channelUrl(['https:']).describe('URL to post to, https only.'),
    secret: z
      .string()
      .min(1)
      .max(256)
      .describe(
        'Key of both signatures: X-Service-Signature is sha256=<hex of HMAC-SHA256 of the body>, X-Service-Signature-V1 is v1=<hex of HMAC-SHA256 of X-Service-Timestamp, a dot and the body>.',
      )
      .optional(),
  }),
  secrets: ['url', 'secret'],
  render(alert, config) {
    const body = bodyOf(alert);
    const timestamp = String(Math.floor(alert.sent_at / 1000));
    return {
      via: 'http',
      url: config.url,
      headers: {
        'content-type': 'application/json',
        'X-Service-Timestamp': timestamp,
        ...(config.secret !== undefined && {
          'X-Service-Signature': `sha256=${sign(body, config.secret)}`,
          'X-Service-Signature-V1': `v1=${sign(`${timestamp}.${body}`, config.secret)}`,
        }),
      },
      body,
    };
  },
  examples: {
    valid: [
      { url: 'https://hooks.example.com/fleet', secret: 'letmesign' },
      { url: 'https://hooks.example.com/fleet' },
    ],
    invalid: [
      { value: {}, path: 'url' },
      { value: { url: 'http://hooks.example.com/fleet' }, path: 'url' },
      { value: { url: 'hooks.example.com' }, path: 'url' },
      { value: { url: 'https://user:pw@hooks.example.com/' }, path: 'url' },
      { value: { url: 'https://hooks.example.com/', secret: '' }, path: 'secret' },
      { value: { url: 'https://hooks.example.com/', secrett: 'x' }, path: 'secrett' },
    ],
  },
});

const sign = (body: string, secret: string): string => createHmac('sha256', secret).update(body, 'utf8').digest('hex');
