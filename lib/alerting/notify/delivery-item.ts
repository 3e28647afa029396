import * as z from 'zod';
import type { RetrySeries } from '#lib/alerting/decide/notes.ts';
import type { Channel } from '#lib/alerting/policy/policy.ts';
import { CheckState } from '#lib/catalog/states.ts';
import { DeliveryKind, type MonthlyReport, type StatusUpdate } from '#lib/channels/alert.ts';
import type { Env } from '#lib/env.ts';
import { CreatedAt, IdOf, UpdatedAt } from '#lib/platform/http/route.ts';
import { pick } from '#lib/platform/plain-data.ts';
import type { Item, Key, Write } from '#lib/platform/ports.ts';

/** A delivery, as the API returns it: one record per alert and channel. */
export const DeliveryRecord = z
  .object({
    id: IdOf('the delivery, the same in X-Service-Delivery'),
    kind: DeliveryKind,
    transition_id: z.string().nullable().describe('Id of the reported transition; null without one.'),
    from_state: CheckState.nullable().describe('State of the check before that transition; null without one.'),
    to_state: CheckState.exclude(['unknown'])
      .nullable()
      .describe(
        'Reported state: up for a closing alert, and for degraded if notify_on_degraded is false; null without a transition.',
      ),
    check_id: IdOf('the check; empty for a status update, a monthly report and a test of an account channel'),
    entity_id: IdOf('the entity; empty for a status update, a monthly report and a test of an account channel'),
    channel_id: IdOf('the channel; of the subscriber for a status update, of the user for a monthly report'),
    channel_type: z.string().describe('Channel type.'),
    group_id: z
      .string()
      .nullable()
      .describe('Id shared by alerts released together after the recovery of their root cause; null without a group.'),
    combined_in: z
      .string()
      .nullable()
      .describe(
        'Id of the delivery whose message contained this alert and others that waited for the channel; null if it was sent separately or is not sent yet.',
      ),
    step: z.int().nullable().describe('Number of the escalation step, from 1; null for other kinds.'),
    status: z
      .enum(['pending', 'retrying', 'sent', 'failed'])
      .describe(
        'pending: not attempted yet. retrying: an attempt failed or got a 429 response, another follows. sent: accepted. failed: given up.',
      ),
    attempts: z.int().describe('Number of attempts, up to 3. A 429 response does not count, for up to an hour.'),
    sent_at: z.iso.datetime().nullable().describe('Time at which the receiver accepted it; null before that.'),
    error: z
      .string()
      .describe(
        'Error of the last attempt, the reason for waiting, or the addresses that a sent mail did not reach; else empty.',
      ),
    created_at: CreatedAt,
    updated_at: UpdatedAt,
  })
  .meta({ id: 'Delivery' });
export type DeliveryRecord = z.infer<typeof DeliveryRecord>;

/** The alert that a delivery reports. `series`: set if it retries an alert that failed on every channel. */
type DeliveryAlert = {
  id: string;
  /** Sort key of the alert, under the check. */
  sk: string;
  deliveries: string[];
  series?: RetrySeries;
};

/** One alert to one channel, about 600 bytes. Written when created and after each attempt. */
export type DeliveryItem = Item &
  DeliveryRecord & {
    v: string;
    tenant_id: string;
    /** Sort key of its transition, under the check; null without a transition. */
    transition_sk: string | null;
    /** The alert with all its deliveries; null for a test, a status update, and a monthly report. */
    alert: DeliveryAlert | null;
    /** For a subscriber of a status page: the update, and the id of the page. */
    status_update?: StatusUpdate;
    status_page_id?: string;
    report?: MonthlyReport;
    /** Closing alerts and monthly reports, until finished: copy of the channel, because its item can be missing. */
    channel?: Channel;
    /** Epoch ms of the first write, possibly long after the alert. Absent on items of older releases. */
    made_at?: number;
    /** Set after sending: number of affected entities, if the message stated it. */
    affected?: number;
    /** Digest of the destination; set if the message can contain further alerts. */
    leads_to?: string;
    /** Set if the message contains all waiting alerts of the channel (group.ts) instead of those of its `group_id`. */
    combines?: true;
    /** Epoch ms before which no attempt is made. */
    next_attempt_at?: number;
    /** Set while the next attempt needs no further reservation within the rate limits of account and host. */
    is_reserved?: true;
  };

/** The latest delivery of a channel, next to its policy, so that reading channels needs no history. */
export type LastDeliveryItem = Item & {
  v: string;
  /** The latest delivery that is not a test; without one, the latest test. */
  delivery: DeliveryRecord;
  /** The latest test, if it is newer than `delivery`. */
  test?: DeliveryRecord;
};

export const deliveryRecord = (item: DeliveryItem): DeliveryRecord => pick(DeliveryRecord, item);

export const isFinished = (delivery: DeliveryRecord): boolean =>
  delivery.status === 'sent' || delivery.status === 'failed';

type Contents = Pick<LastDeliveryItem, 'delivery' | 'test'>;

export const latestDeliveryOf = (
  last: Pick<LastDeliveryItem, 'delivery' | 'test'> | undefined,
): DeliveryRecord | undefined => last?.test ?? last?.delivery;

/** Returns the contents after an attempt; undefined if a newer delivery is stored. A test never replaces an alert. */
export function withAttempt(last: LastDeliveryItem | undefined, next: DeliveryItem): Contents | undefined {
  const onlyTest = last?.delivery.kind === 'test';
  const reporting = onlyTest ? undefined : last;
  const test = onlyTest ? last.delivery : last?.test;
  const record = deliveryRecord(next);
  if (next.kind !== 'test') {
    return isNewer(reporting?.delivery, record) ? undefined : contents(record, test);
  }
  if (isNewer(test, record)) return undefined;
  return reporting ? contents(reporting.delivery, record) : contents(record, undefined);
}

const isNewer = (present: DeliveryRecord | undefined, next: DeliveryRecord): boolean =>
  present !== undefined && present.id > next.id;

const contents = (delivery: DeliveryRecord, test: DeliveryRecord | undefined): Contents => ({
  delivery,
  ...(test && isNewer(test, delivery) && { test }),
});

/** Pointer to an unfinished delivery whose message can contain others, deleted with its last attempt. 200 bytes. */
export type GroupMember = Item & { delivery_id: string };

/** Returns the key that deliveries of one message share: channel or group, and destination; undefined without one. */
export const groupedBy = ({ combines, channel_id, group_id, leads_to }: DeliveryItem): string | undefined => {
  const shared = combines ? channel_id : group_id;
  return shared && leads_to ? `${shared}#${leads_to}` : undefined;
};

function groupKeyOf({ keys }: Env, delivery: DeliveryItem): Key | undefined {
  const shared = groupedBy(delivery);
  return shared === undefined ? undefined : keys.grouped(delivery.tenant_id, shared, delivery.id);
}

/** Returns the write that adds a delivery to its group, if it has one. */
export function joinGroup(env: Env, delivery: DeliveryItem): Write[] {
  const place = groupKeyOf(env, delivery);
  const { id: delivery_id, expires_at } = delivery;
  const put: GroupMember | undefined = place && {
    ...place,
    delivery_id,
    ...(expires_at !== undefined && { expires_at }),
  };
  return put ? [{ put }] : [];
}

export function leaveGroup(env: Env, delivery: DeliveryItem): Write[] {
  const place = isFinished(delivery) ? groupKeyOf(env, delivery) : undefined;
  return place ? [{ delete: place }] : [];
}
