import * as z from 'zod';
import { TransitionRecord } from '#lib/alerting/decide/transition.ts';
import { EntityState } from '#lib/catalog/states.ts';
import { type Alert, AlertKind, DeliveryKind, EVENT_PROPERTIES, EXAMPLE_ALERT } from '#lib/channels/alert.ts';
import { MAX_COMBINED } from '#lib/channels/combined.ts';
import { combinedPayload, payloadOf } from '#lib/channels/payload.ts';
import { TransitionCause } from '#lib/checks/state/transition.ts';
import { IdOf } from '#lib/platform/http/route.ts';
import type { Webhook } from './openapi.ts';

const Counted = z.object({
  count: z.int().describe('Number of entities.'),
  names: z.array(z.string()).describe('First ten names.'),
});
const url = (meaning: string) => z.string().nullable().describe(`${meaning}; null without one.`);

/** Alert as a program receives it: the properties of the event, and further facts. */
export const AlertRecord = TransitionRecord.pick(EVENT_PROPERTIES)
  .extend({
    kind: AlertKind,
    urgency: z.enum(['high', 'low']).describe('high: urgent. low: can wait.'),
    alert_id: z.string().nullable().describe('Id of the alert, the same in all its deliveries; null for a test.'),
    incident_id: z.string().nullable().describe('Id of the incident; null without one.'),
    check: z
      .object({
        id: IdOf('the check'),
        name: z.string().describe('Name of the check, or its type and target.'),
        slug: z.string().nullable().describe('Slug of the check; null without one.'),
        type: z.string().nullable().describe('Type of the check; null if it was deleted.'),
        target: z.string().nullable().describe('Target of the check; null if it was deleted.'),
      })
      .describe('Check at the time of sending.'),
    entity: z
      .object({
        id: IdOf('the entity'),
        name: z.string().describe('Name of the entity.'),
        slug: z.string().describe('Slug of the entity.'),
        blueprint: z.string().describe('Slug of the blueprint of the entity.'),
        labels: z.record(z.string(), z.string()).describe('Labels of the entity.'),
      })
      .describe('Entity at the time of sending.'),
    cause: TransitionCause.nullable().describe(`${TransitionCause.description} null for a test.`),
    error_message: TransitionRecord.shape.error_message,
    since: z.iso
      .datetime()
      .describe('Start of the current state of the check, in UTC; for down, time of the first failed result.'),
    root: z
      .object({
        entity_id: IdOf('the entity'),
        entity_name: z.string().describe('Name of the root cause.'),
        state: EntityState.describe('State of the root cause.'),
        since: z.iso.datetime().describe('Start of that state, in UTC.'),
      })
      .nullable()
      .describe('Root cause; null if none is known.'),
    affected: Counted.nullable().describe('Other entities that fail because of the same root cause; null if unknown.'),
    impact: Counted.nullable().describe(
      'Entities that depend directly on this one; null without any, if unknown, or unless the alert reports down.',
    ),
    group_id: z
      .string()
      .nullable()
      .describe('Id shared by alerts released together after the recovery of their root cause; null without a group.'),
    remediation: z
      .object({
        action_id: IdOf('the action'),
        action_name: z.string().describe('Name of the action.'),
        attempts: z.int().describe('Number of attempts.'),
        verdict: z.enum(['recovered', 'not_recovered', 'unverified']).describe('Verification of the last attempt.'),
      })
      .nullable()
      .describe('Failed remediation; null unless kind is remediation_failed.'),
    urls: z
      .object({
        check: url('Page of the check; on AWS only if PUBLIC_URL is set'),
        incident: url('Page of the incident'),
        runbook: url('Label or field runbook_url of check or entity'),
        dashboard: url('Label or field dashboard_url of check or entity'),
      })
      .describe('Related pages.'),
    step: z.int().nullable().describe('Escalation step, from 1; null unless kind is escalation.'),
    unreported: z
      .object({
        count: z.int().describe('Number of failures since the last alert; from 20 on a lower bound.'),
        from: z.iso.datetime().describe('Start of the last failure, in UTC.'),
        to: z.iso.datetime().describe('End of the last failure, in UTC.'),
      })
      .nullable()
      .describe(
        'Failures during the cooldown that were over before an alert reported them; null without such failures.',
      ),
    acknowledgement: z
      .object({
        by: z.string().describe('User who acknowledged the failure.'),
        note: z.string().describe('Human-readable note; may be empty.'),
        until: z.iso
          .datetime()
          .nullable()
          .describe('End of the acknowledgement; null if it ends when the check recovers.'),
      })
      .nullable()
      .describe('Acknowledgement; null unless kind is acknowledged.'),
    acknowledge_url: url('Page that acknowledges the failure after a confirmation'),
    silence_url: url('Page that silences the check for an hour after a confirmation'),
  })
  .meta({
    id: 'Alert',
    description: 'Alert about a check with all known facts. Further properties may be added.',
  });

const CombinedAlerts = z
  .object({
    kind: z.literal('combined').describe('combined: several alerts in one message.'),
    count: z.int().describe(`Number of alerts in the message, 2 to ${MAX_COMBINED}.`),
    following: z.int().describe('Number of waiting alerts that follow in further messages.'),
    alerts: z
      .array(z.object({ delivery_id: IdOf('the delivery of the alert'), ...AlertRecord.shape }))
      .describe('The alerts, the most severe first, then the oldest first.'),
  })
  .meta({ id: 'CombinedAlerts', description: 'Alerts that waited for the channel and were sent in one message.' });

const Headers = z.object({
  'X-Service-Delivery': z.string().describe('Id of the delivery, the same in each attempt and in the delivery log.'),
  'X-Service-Kind': z
    .enum([...DeliveryKind.options, 'combined'])
    .describe(`${DeliveryKind.description} combined: several alerts.`),
  'X-Service-Timestamp': z
    .string()
    .regex(/^\d+$/)
    .describe('Time of this attempt in Unix seconds. Reject requests older than five minutes.'),
  'X-Service-Signature-V1': z
    .string()
    .regex(/^v1=[0-9a-f]{64}$/)
    .optional()
    .describe(
      'If the channel has a secret: v1= and the HMAC-SHA256 of X-Service-Timestamp, a dot and the body, in lowercase hex. It prevents replays.',
    ),
  'X-Service-Signature': z
    .string()
    .regex(/^sha256=[0-9a-f]{64}$/)
    .optional()
    .describe(
      'If the channel has a secret: sha256= and the HMAC-SHA256 of the body, in lowercase hex. Compare it in constant time before you parse the body.',
    ),
});

const RESPONSES =
  '2xx: accepted. Any other status, a redirect or no response within 10 seconds is a failure: 3 attempts, 1 and 2 seconds apart. After a 429 the next request waits for its Retry-After, up to 60 s; the 429 does not count as an attempt.';

const EXAMPLE_RECOVERY: Alert = {
  ...EXAMPLE_ALERT,
  delivery_id: 'dlv_0mi8w2cx1k9f7f6c011776e8db',
  alert_id: 'alr_0mi8w2cx1k4b227777d4dd1fc6',
  event: {
    ...EXAMPLE_ALERT.event,
    from_state: 'down',
    to_state: 'up',
    check_from_state: 'down',
    check_to_state: 'up',
    transition_id: 'trn_0mi8w2cx1k4b227777d4dd1fc6',
    timestamp: '2026-11-21T08:01:40.000Z',
  },
  acknowledge_url: null,
  silence_url: null,
  reports_state: 'up',
  error_message: '',
  outage_started_at: null,
  check_from_since: '2026-11-21T08:00:17.000Z',
};

export const webhooks: Record<string, Webhook> = {
  state_change: {
    summary: 'Alert sent to channels of the type webhook',
    description: [
      'The body of a POST to the url of the channel. The same JSON goes to channels of the type nats, with X-Service-Delivery and X-Service-Kind.',
      'Delivery is at least once: drop a delivery whose X-Service-Delivery you have already received.',
      'All kinds of alerts have the same body; X-Service-Kind repeats the kind of the body.',
      'A test has the current state, no transition, and an empty transition_id.',
    ].join(' '),
    headers: Headers,
    body: AlertRecord,
    example: payloadOf(EXAMPLE_ALERT),
    responses: RESPONSES,
  },
  combined: {
    summary: 'Several alerts in one message to a channel of the type webhook',
    description: [
      'The body of a POST to the url of the channel, if more than one alert waited: with group_seconds, or beyond a limit of the account.',
      'X-Service-Delivery is the id of one of the combined deliveries, and stays the same in each attempt. A further attempt can contain more alerts: drop alerts whose delivery_id you have already received.',
    ].join(' '),
    headers: Headers,
    body: CombinedAlerts,
    example: combinedPayload({ alerts: [EXAMPLE_ALERT, EXAMPLE_RECOVERY], following: 0 }),
    responses: RESPONSES,
  },
};
