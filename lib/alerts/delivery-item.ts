import type { Item } from '#lib/platform/ports.ts';

export type DeliveryKind = 'state_change' | 'repeat' | 'catch_up' | 'closed' | 'test';

export type DeliveryStatus = 'pending' | 'retrying' | 'sent' | 'failed';

/** A delivery as the interface shows it: one record per alert and channel. */
export type DeliveryRecord = {
  id: string;
  kind: DeliveryKind;
  /** Null for a test. */
  transition_id: string | null;
  check_id: string;
  entity_id: string;
  channel_id: string;
  channel_type: string;
  status: DeliveryStatus;
  attempts: number;
  /** ISO 8601, null until sent. */
  sent_at: string | null;
  /** Of the last attempt, empty when none failed. */
  error: string;
  created_at: string;
  updated_at: string;
};

/** One alert to one channel. About 600 bytes; written at its making and after each attempt. */
export type DeliveryItem = Item &
  DeliveryRecord & {
    v: string;
    tenant_id: string;
    /** Sort key of its transition, under the check. Null for a test. */
    transition_sk: string | null;
    /** State of the check that a receiver believes afterwards; null for a test. */
    tells: 'up' | 'down' | null;
    /** Epoch ms: not tried again before. */
    next_attempt_at?: number;
  };

/** The latest delivery of a channel, beside its policy, so that reading channels needs no history. */
export type LastDeliveryItem = Item & { v: string; delivery: DeliveryRecord };

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
