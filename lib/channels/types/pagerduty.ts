import * as z from 'zod';
import { defineChannel } from '#lib/channels/channel-type.ts';
import { caseKeyOf, eventActionOf, messageOf } from '#lib/channels/message.ts';
import { shorten } from '#lib/platform/text.ts';

const HOSTS = { us: 'events.pagerduty.com', eu: 'events.eu.pagerduty.com' };
const SEVERITY = { bad: 'critical', warn: 'warning', good: 'info', neutral: 'info' };
const MAX_SUMMARY = 1024;
const ACTION = { open: 'trigger', acknowledge: 'acknowledge', close: 'resolve' } as const;

/** Sends events (https://developer.pagerduty.com/docs/send-alert-event), one `dedup_key` per check. */
export const pagerduty = defineChannel({
  type: 'pagerduty',
  title: 'PagerDuty',
  about:
    'Triggers, acknowledges and resolves incidents by the Events API v2 of PagerDuty, one per check, with a severity by state.',
  via: 'http',
  read_by: 'people',
  has_cases: true,
  config: z.strictObject({
    routing_key: z
      .string()
      .regex(/^[A-Za-z0-9]{32}$/, 'must be the integration key of an Events API v2 integration: 32 letters and digits')
      .describe('Integration key of an Events API v2 integration.'),
    region: z.enum(['us', 'eu']).describe('Region of the PagerDuty account. Default: us.').optional(),
  }),
  secrets: ['routing_key'],
  render(alert, config) {
    const { title, mood, links, why, note, lead } = messageOf(alert, config);
    const { event } = alert;
    const action = eventActionOf(alert);
    const url = `https://${HOSTS[config.region ?? 'us']}/v2/enqueue`;
    return {
      via: 'http',
      url,
      receiver: `${url}#${config.routing_key}`,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        routing_key: config.routing_key,
        event_action: ACTION[action],
        dedup_key: caseKeyOf(alert),
        ...(action === 'open' && {
          payload: {
            summary: shorten(title, MAX_SUMMARY),
            source: alert.entity.slug,
            severity: alert.urgency === 'low' && mood === 'bad' ? 'warning' : SEVERITY[mood],
            timestamp: event.timestamp,
            component: alert.check_label,
            group: alert.entity.blueprint,
            class: alert.check.type ?? 'check',
            custom_details: { ...(why && { why }), ...(lead && { impact: lead }), ...(note && { note }) },
          },
          links: links.map(([text, href]) => ({ href, text })),
          client: 'Fleetwatch',
          ...(alert.urls.check !== null && { client_url: alert.urls.check }),
        }),
      }),
    };
  },
  refused: ({ json }) =>
    Array.isArray(json.errors) ? { message: `${json.message ?? json.status}: ${json.errors.join('; ')}` } : undefined,
  examples: {
    valid: [
      { routing_key: 'R0123456789abcdef0123456789ABCDE' },
      { routing_key: 'R0123456789abcdef0123456789ABCDE', region: 'eu' },
    ],
    invalid: [
      { value: {}, path: 'routing_key' },
      { value: { routing_key: 'abc' }, path: 'routing_key' },
      { value: { routing_key: 'R0123456789abcdef0123456789ABCDE', region: 'apac' }, path: 'region' },
      { value: { routing_key: 'R0123456789abcdef0123456789ABCDE', severity: 'error' }, path: 'severity' },
    ],
  },
});
