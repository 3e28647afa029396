import * as z from 'zod';
import { defineChannel } from '#lib/channels/channel-type.ts';
import { bodyOf } from '#lib/channels/payload.ts';

/** Publishes the alert as JSON on the operator's NATS (docs/use/webhooks.md#alert), on a subject of the account. */
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
      // Tokens of printable ASCII without wildcards; subjects starting with $ or _ are reserved for the server.
      .regex(/^(?![$_])[\x21-\x29\x2b-\x2d\x2f-\x3d\x3f-\x7e]+(\.[\x21-\x29\x2b-\x2d\x2f-\x3d\x3f-\x7e]+)*$/, {
        error:
          'must be dot-separated tokens without spaces or wildcards, and must not start with $ or _; for example fleet.alerts',
      })
      .describe(
        'Subject to publish on, after NATS_SUBJECT_PREFIX. With the default prefix, `alerts` becomes `fleetwatch.<account id>.alerts`.',
      ),
  }),
  secrets: ['subject'],
  render: (alert, config) => ({ via: 'nats', subject: config.subject, body: bodyOf(alert) }),
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
