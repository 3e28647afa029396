import * as z from 'zod';
import { EXAMPLE_ALERT } from '#lib/alerts/deliver/alert.ts';
import { DeliveryRecord } from '#lib/alerts/deliver/delivery-item.ts';
import { EVENT_MEMBERS } from '#lib/alerts/deliver/event.ts';
import { TransitionRecord } from '#lib/health/state/transition-record.ts';
import type { Webhook } from './openapi.ts';

/** The event as a receiver gets it. */
export const EventRecord = TransitionRecord.pick(EVENT_MEMBERS).meta({
  id: 'StateChangeEvent',
  description: 'A check has changed its state. Its entity may have changed with it, or not.',
});

/** What the service itself sends, to channels of the type webhook. */
export const webhooks: Record<string, Webhook> = {
  state_change: {
    summary: 'A check went down or came up: sent to channels of the type webhook',
    description: [
      'The body of a POST to the url of the channel. The same JSON goes to channels of the type nats, these headers included but for the signature.',
      'It is sent at least once: drop a delivery whose X-Service-Delivery you know.',
      'Reminders (repeat), late news (catch_up), closing notes (closed) and tests (test) have the same body: X-Service-Kind tells them apart.',
      'A test tells the present state, belongs to no transition, and has an empty transition_id.',
    ].join(' '),
    headers: z.object({
      'X-Service-Delivery': z
        .string()
        .describe('Id of the delivery, the same in each attempt and in the delivery log.'),
      'X-Service-Kind': DeliveryRecord.shape.kind,
      'X-Service-Signature': z
        .string()
        .regex(/^sha256=[0-9a-f]{64}$/)
        .optional()
        .describe(
          'Where the channel has a secret: sha256= and the HMAC-SHA256 of the body with it, in lowercase hex. Compare it in constant time, before the body is parsed.',
        ),
    }),
    body: EventRecord,
    example: EXAMPLE_ALERT.event,
    answers:
      'A status of 2xx: it was taken. Any other status, a redirect or no answer within 10 seconds counts as a failure: 3 attempts in all, 1 and 2 seconds apart. After a 429 nothing is sent before its Retry-After, of which 60 s count at most; that is no attempt.',
  },
};
