import * as z from 'zod';
import { defineChannel } from '#lib/channels/channel-type.ts';
import { payloadOf } from '#lib/channels/payload.ts';

/**
 * Publishes the alert as JSON on the operator's NATS (docs/use/webhooks.md#alert), on a subject below that of the
 * account.
 */
export const nats = defineChannel({
  type: 'nats',
  title: 'NATS',
  about: "Publishes the alert as JSON on the operator's NATS (setting NATS_URL).",
  via: 'nats',
  read_by: 'programs',
  config: z.strictObject({
    subject: z
      .string()
      .max(256, 'must have at most 256 characters')
      // Tokens of printable ASCII but for the wildcards; what begins with $ or _ is the server's own business.
      .regex(/^(?![$_])[\x21-\x29\x2b-\x2d\x2f-\x3d\x3f-\x7e]+(\.[\x21-\x29\x2b-\x2d\x2f-\x3d\x3f-\x7e]+)*$/, {
        error: 'must be dot-separated tokens without spaces or wildcards, and not begin with $ or _: fleet.alerts',
      })
      .describe(
        'Subject to publish on, with NATS_SUBJECT_PREFIX before it: by default alerts is fleetwatch.<account id>.alerts on the wire.',
      ),
  }),
  secrets: ['subject'],
  render: (alert, config) => ({ via: 'nats', subject: config.subject, body: JSON.stringify(payloadOf(alert)) }),
  examples: {
    valid: [{ subject: 'alerts' }, { subject: 'fleet.alerts.shop-1' }],
    invalid: [
      { value: {}, path: 'subject' },
      { value: { subject: '' }, path: 'subject' },
      { value: { subject: 'fleet.*' }, path: 'subject' },
      { value: { subject: 'fleet.>' }, path: 'subject' },
      { value: { subject: 'fleet..alerts' }, path: 'subject' },
      { value: { subject: 'fleet alerts' }, path: 'subject' },
      { value: { subject: '$SYS.REQ.SERVER.PING' }, path: 'subject' },
      { value: { subject: 'a\r\nPUB b 0' }, path: 'subject' },
      { value: { subject: 'alerts', url: 'nats://elsewhere' }, path: 'url' },
    ],
  },
});
