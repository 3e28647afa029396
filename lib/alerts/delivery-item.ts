import * as z from 'zod';
import type { Channel } from '#lib/checks/policy-item.ts';
import type { Item } from '#lib/platform/ports.ts';
import type { Series } from '#lib/schedule/entries.ts';

/** A delivery as the interface shows it: one record per alert and channel. */
export const DeliveryRecord = z
  .object({
    id: z.string(),
    kind: z.enum(['state_change', 'repeat', 'catch_up', 'closed', 'test']),
    transition_id: z.string().nullable().describe('Null for a test.'),
    check_id: z.string(),
    entity_id: z.string(),
    channel_id: z.string(),
    channel_type: z.string(),
    status: z.enum(['pending', 'retrying', 'sent', 'failed']),
    attempts: z.int(),
    sent_at: z.iso.datetime().nullable().describe('Null until sent.'),
    error: z.string().describe('Of the last attempt, empty when it did not fail.'),
    created_at: z.iso.datetime(),
    updated_at: z.iso.datetime(),
  })
  .meta({ id: 'Delivery' });
export type DeliveryRecord = z.infer<typeof DeliveryRecord>;
export type DeliveryKind = DeliveryRecord['kind'];

/** `series`: this alert is a retry of one that failed on every channel; if it fails too, the series continues. */
export type DeliveryAlert = { id: string; deliveries: string[]; series?: Series };

/** One alert to one channel. About 600 bytes; written at its making and after each attempt. */
export type DeliveryItem = Item &
  DeliveryRecord & {
    v: string;
    tenant_id: string;
    /** Sort key of its transition, under the check. Null for a test. */
    transition_sk: string | null;
    /** State of the check that a receiver believes afterwards; null for a test. */
    tells: 'up' | 'down' | null;
    /** The alert that it is part of, with all of its deliveries; null for a test. */
    alert: DeliveryAlert | null;
    /** Closing notes, until they are over: the channel as it was, as its check may be gone. */
    channel?: Channel;
    /** Epoch ms of the first write, which may be long after the alert. Absent on items of an older release. */
    made_at?: number;
    /** Epoch ms: not tried again before. */
    next_attempt_at?: number;
  };

/** The latest delivery of a channel, beside its policy, so that reading channels needs no history. */
export type LastDeliveryItem = Item & {
  v: string;
  /** The latest that tells of a state; a test only while there is none. */
  delivery: DeliveryRecord;
  tells: DeliveryItem['tells'];
  /** A test that is newer. */
  test?: DeliveryRecord;
};

export const deliveryRecord = (item: DeliveryItem): DeliveryRecord => ({
  id: item.id,
  kind: item.kind,
  transition_id: item.transition_id,
  check_id: item.check_id,
  entity_id: item.entity_id,
  channel_id: item.channel_id,
  channel_type: item.channel_type,
  status: item.status,
  attempts: item.attempts,
  sent_at: item.sent_at,
  error: item.error,
  created_at: item.created_at,
  updated_at: item.updated_at,
});

export const isOver = (delivery: DeliveryRecord): boolean => delivery.status === 'sent' || delivery.status === 'failed';
