import * as z from 'zod';
import { TransitionRecord } from '#lib/alerting/decide/transition.ts';
import { DeliveryRecord } from '#lib/alerting/notify/delivery-item.ts';
import { EntityState } from '#lib/catalog/states.ts';
import { EVENT_MEMBERS, EXAMPLE_ALERT } from '#lib/channels/alert.ts';
import { payloadOf } from '#lib/channels/payload.ts';
import { TransitionCause } from '#lib/checks/state/transition.ts';
import { IdOf } from '#lib/platform/http/route.ts';
import type { Webhook } from './openapi.ts';

const Counted = z.object({
  count: z.int().describe('How many.'),
  names: z.array(z.string()).describe('Names of the first ten.'),
});
const url = (what: string) => z.string().nullable().describe(`${what}; null where there is none.`);

/** The alert as a program gets it: the members of the event, and what is known beside them. */
export const AlertRecord = TransitionRecord.pick(EVENT_MEMBERS)
  .extend({
    kind: DeliveryRecord.shape.kind,
    urgency: z.enum(['high', 'low']).describe('low: news of what was told before.'),
    alert_id: z.string().nullable().describe('The same in all deliveries of the alert; null for a test.'),
    incident_id: z.string().nullable().describe('The incident that it belongs to; null without one.'),
    check: z
      .object({
        id: IdOf('the check'),
        name: z.string().describe('Its name, or what it does to what.'),
        slug: z.string().nullable().describe('Its slug; null without one.'),
        type: z.string().nullable().describe('Its type; null when it is gone.'),
        target: z.string().nullable().describe('What it looks at; null when it is gone.'),
      })
      .describe('The check, as it is when this is sent.'),
    entity: z
      .object({
        id: IdOf('the entity'),
        name: z.string().describe('Its name.'),
        slug: z.string().describe('Its slug.'),
        blueprint: z.string().describe('Slug of its blueprint.'),
        labels: z.record(z.string(), z.string()).describe('Its labels.'),
      })
      .describe('The entity, as it is when this is sent.'),
    cause: TransitionCause.nullable().describe(`${TransitionCause.description} null: a test.`),
    error_message: TransitionRecord.shape.error_message,
    since: z.iso.datetime().describe('Since when the check has been in its state, in UTC.'),
    root: z
      .object({
        entity_id: IdOf('the entity'),
        entity_name: z.string().describe('Its name.'),
        state: EntityState.describe('Its state.'),
        since: z.iso.datetime().describe('Since when, in UTC.'),
      })
      .nullable()
      .describe('The entity whose failure explains this one; null when none is known.'),
    affected: Counted.nullable().describe('What else fails with the same root; null when nobody knows.'),
    impact: Counted.nullable().describe('What depends on the entity directly; null when nobody knows.'),
    group_id: z.string().nullable().describe('Of those that were released together: the same of all; else null.'),
    remediation: z
      .object({
        action_id: IdOf('the action'),
        action_name: z.string().describe('Its name.'),
        attempts: z.int().describe('How often it was tried.'),
        verdict: z.enum(['recovered', 'not_recovered', 'unverified']).describe('What came of the last attempt.'),
      })
      .nullable()
      .describe('What was tried to repair it, and is given up; null of all other kinds than remediation_failed.'),
    urls: z
      .object({
        check: url('Page of the check, where PUBLIC_URL is set'),
        incident: url('Page of the incident'),
        runbook: url('Label or field runbook_url of check or entity'),
        dashboard: url('Label or field dashboard_url of check or entity'),
      })
      .describe('Pages for people.'),
    step: z.int().nullable().describe('Of an escalation: which of its steps, from 1; else null.'),
    acknowledgement: z
      .object({
        by: z.string().describe('Who looks after it.'),
        note: z.string().describe('For people; may be empty.'),
        until: z.iso.datetime().nullable().describe('When it ends by itself; null: when the check recovers.'),
      })
      .nullable()
      .describe('Of kind acknowledged: who looks after it; else null.'),
    acknowledge_url: url('Page that asks before it acknowledges'),
    silence_url: url('Page that asks before it silences the check for an hour'),
  })
  .meta({
    id: 'Alert',
    description: 'What a check has come to, and all that is known about it. More members may come.',
  });

/** What the service itself sends, to channels of the type webhook. */
export const webhooks: Record<string, Webhook> = {
  state_change: {
    summary: 'A check went down or came up: sent to channels of the type webhook',
    description: [
      'The body of a POST to the url of the channel. The same JSON goes to channels of the type nats, with X-Service-Delivery and X-Service-Kind.',
      'It is sent at least once: drop a delivery whose X-Service-Delivery you know.',
      'Reminders (repeat), late news (late_alerts), steps of an escalation (escalation), that somebody looks after it (acknowledged), closing notes (closed) and tests (test) have the same body: X-Service-Kind tells them apart.',
      'A test tells the present state, belongs to no transition, and has an empty transition_id.',
    ].join(' '),
    headers: z.object({
      'X-Service-Delivery': z
        .string()
        .describe('Id of the delivery, the same in each attempt and in the delivery log.'),
      'X-Service-Kind': DeliveryRecord.shape.kind,
      'X-Service-Timestamp': z
        .string()
        .regex(/^\d+$/)
        .describe('When this attempt was sent, in Unix seconds. Refuse what is older than five minutes.'),
      'X-Service-Signature-V1': z
        .string()
        .regex(/^v1=[0-9a-f]{64}$/)
        .optional()
        .describe(
          'Where the channel has a secret: v1= and the HMAC-SHA256 of X-Service-Timestamp, a dot and the body, in lowercase hex. Who checks it is safe from replays.',
        ),
      'X-Service-Signature': z
        .string()
        .regex(/^sha256=[0-9a-f]{64}$/)
        .optional()
        .describe(
          'Where the channel has a secret: sha256= and the HMAC-SHA256 of the body with it, in lowercase hex. Compare it in constant time, before the body is parsed.',
        ),
    }),
    body: AlertRecord,
    example: payloadOf(EXAMPLE_ALERT),
    answers:
      'A status of 2xx: it was taken. Any other status, a redirect or no answer within 10 seconds counts as a failure: 3 attempts in all, 1 and 2 seconds apart. After a 429 nothing is sent before its Retry-After, of which 60 s count at most; that is no attempt.',
  },
};
