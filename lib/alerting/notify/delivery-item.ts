import * as z from 'zod';
import type { RetrySeries } from '#lib/alerting/decide/notes.ts';
import type { Channel } from '#lib/alerting/policy/policy.ts';
import { DeliveryKind } from '#lib/channels/alert.ts';
import type { NotifiedAlert } from '#lib/checks/check-item.ts';
import type { Env } from '#lib/env.ts';
import { CreatedAt, IdOf, UpdatedAt } from '#lib/platform/http/route.ts';
import { pick } from '#lib/platform/plain-data.ts';
import type { Item, Write } from '#lib/platform/ports.ts';

/** A delivery as the interface shows it: one record per alert and channel. */
export const DeliveryRecord = z
  .object({
    id: IdOf('the delivery, the same in X-Service-Delivery'),
    kind: DeliveryKind.describe(
      'state_change: the check changed its state. reminder: a reminder, as it is still down. late: what was held back or failed, announced late. escalation: nobody has acknowledged it, and a step of the escalation called this channel. impact: more fails with it than was told at first. acknowledged: somebody looks after it. closed: a check announced as down or degraded was disabled or deleted. remediation_failed: what was tried to repair it did not help. test: a test of the channel.',
    ),
    transition_id: z.string().nullable().describe('Id of the transition that it is about; null for a test.'),
    check_id: IdOf('the check'),
    entity_id: IdOf('the entity'),
    channel_id: IdOf('the channel'),
    channel_type: z.string().describe('What kind of channel it is.'),
    group_id: z
      .string()
      .nullable()
      .describe('Of those that were released together after what they followed from had recovered: the same of all.'),
    step: z.int().nullable().describe('Of an escalation: which of its steps, from 1; else null.'),
    status: z
      .enum(['pending', 'retrying', 'sent', 'failed'])
      .describe(
        'pending: not tried yet. retrying: an attempt failed, another follows. sent: the receiver took it. failed: given up.',
      ),
    attempts: z.int().describe('How often it was tried; at most 3. Waiting for a receiver that answers 429 is none.'),
    sent_at: z.iso.datetime().nullable().describe('When the receiver took it; null until then.'),
    error: z.string().describe('What went wrong with the last attempt; empty when nothing did.'),
    created_at: CreatedAt,
    updated_at: UpdatedAt,
  })
  .meta({ id: 'Delivery' });
export type DeliveryRecord = z.infer<typeof DeliveryRecord>;

/** `series`: this alert is a retry of one that failed on every channel; if it fails too, the series continues. */
type DeliveryAlert = {
  id: string /** Sort key of the alert, under the check. */;
  sk: string;
  deliveries: string[];
  series?: RetrySeries;
};

/** One alert to one channel. About 600 bytes; written at its making and after each attempt. */
export type DeliveryItem = Item &
  DeliveryRecord & {
    v: string;
    tenant_id: string;
    /** Sort key of its transition, under the check. Null for a test. */
    transition_sk: string | null;
    /** State of the check that a receiver believes afterwards; null for a test. */
    reports_state: NotifiedAlert['reports_state'] | null;
    /** The alert that it is part of, with all of its deliveries; null for a test. */
    alert: DeliveryAlert | null;
    /** Closing notes, until they are over: the channel as it was, as its check may be gone. */
    channel?: Channel;
    /** Epoch ms of the first write, which may be long after the alert. Absent on items of an older release. */
    made_at?: number;
    /** Once sent: how many entities it said fail with this one, where it said so. */
    affected?: number;
    /** Of a group that people are told of by one message: digest of where that goes. */
    leads_to?: string;
    /** Epoch ms: not tried before. */
    next_attempt_at?: number;
  };

/** The latest delivery of a channel, beside its policy, so that reading channels needs no history. */
export type LastDeliveryItem = Item & {
  v: string;
  /** The latest that reports a state; a test only while there is none. */
  delivery: DeliveryRecord;
  reports_state: DeliveryItem['reports_state'];
  /** A test that is newer. */
  test?: DeliveryRecord;
};

export const deliveryRecord = (item: DeliveryItem): DeliveryRecord => pick(DeliveryRecord, item);

export const isFinished = (delivery: DeliveryRecord): boolean =>
  delivery.status === 'sent' || delivery.status === 'failed';

type Contents = Pick<LastDeliveryItem, 'delivery' | 'reports_state' | 'test'>;

/** The delivery to show as a channel's latest: the newer of the one that reports a state and the test. */
export const latestDeliveryOf = (
  last: Pick<LastDeliveryItem, 'delivery' | 'test'> | undefined,
): DeliveryRecord | undefined => last?.test ?? last?.delivery;

/**
 * The next contents after an attempt; undefined when a newer delivery of the same sort is kept. A test reports no
 * state, so it never replaces a delivery that does: that one shows whether an older alert goes out after it.
 */
export function withAttempt(last: LastDeliveryItem | undefined, next: DeliveryItem): Contents | undefined {
  const onlyTest = last?.delivery.kind === 'test';
  const announcing = onlyTest ? undefined : last;
  const test = onlyTest ? last.delivery : last?.test;
  const record = deliveryRecord(next);
  if (next.kind !== 'test') {
    return isNewer(announcing?.delivery, record) ? undefined : contents(record, next.reports_state, test);
  }
  if (isNewer(test, record)) return undefined;
  return announcing ? contents(announcing.delivery, announcing.reports_state, record) : contents(record, null, undefined);
}

const isNewer = (present: DeliveryRecord | undefined, next: DeliveryRecord): boolean =>
  present !== undefined && present.id > next.id;

const contents = (
  delivery: DeliveryRecord,
  reports_state: Contents['reports_state'],
  test: DeliveryRecord | undefined,
): Contents => ({
  delivery,
  reports_state,
  ...(test && isNewer(test, delivery) && { test }),
});

/** Points to a delivery of a group that is not over: gone with its last attempt. About 200 bytes. */
export type GroupMember = Item & { delivery_id: string };

/** Where the message of a group goes, and which delivery of it this is. */
const placeOf = ({ keys }: Env, { tenant_id, group_id, leads_to, id }: DeliveryItem) =>
  group_id && leads_to ? keys.grouped(tenant_id, group_id, leads_to, id) : undefined;

/** The write by which a delivery waits with its group; none of one that has none to wait for. */
export function joinGroup(env: Env, delivery: DeliveryItem): Write[] {
  const place = placeOf(env, delivery);
  const { id: delivery_id, expires_at } = delivery;
  const put: GroupMember | undefined = place && {
    ...place,
    delivery_id,
    ...(expires_at !== undefined && { expires_at }),
  };
  return put ? [{ put }] : [];
}

/** The write by which it does no more, once it is over. */
export function leaveGroup(env: Env, delivery: DeliveryItem): Write[] {
  const place = isFinished(delivery) ? placeOf(env, delivery) : undefined;
  return place ? [{ delete: place }] : [];
}
