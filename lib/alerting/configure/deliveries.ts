import * as z from 'zod';
import type { Context } from '#lib/access/context.ts';
import { historyStart } from '#lib/access/retention.ts';
import { type DeliveryItem, DeliveryRecord, deliveryRecord } from '#lib/alerting/notify/delivery-item.ts';
import { notFound } from '#lib/platform/errors.ts';
import type { Reader } from '#lib/platform/http/paging.ts';
import { idFloor, isId, timeOf } from '#lib/platform/ids.ts';
import { filtered, queryMerged } from '#lib/platform/table/pages.ts';
import { deliveryView } from './views.ts';

/**
 * Access patterns:
 * - deliveries: the tenant's buckets of them, merged, newest first (ids sort by time)
 * - a delivery: get delivery(id), then get entity(id)
 */

const idOf = (prefix: string, of: string) =>
  z
    .string()
    .refine((text) => isId(prefix, text), `must be the id of a ${of}, which begins with ${prefix}_`)
    .optional()
    .describe(`Only those of this ${of}.`);

/** What is looked for in the log; all of it must hold. */
export const DeliveryFilter = z.object({
  check_id: idOf('chk', 'check'),
  transition_id: idOf('trn', 'transition'),
  channel_id: idOf('chn', 'channel'),
  status: DeliveryRecord.shape.status.optional().describe('Only those that are in this state.'),
});
export type DeliveryFilter = z.output<typeof DeliveryFilter>;

/** Reads the delivery log, without what belonged to entities that are gone. */
export function deliveryLog(context: Context, wanted: DeliveryFilter = {}): Reader<DeliveryRecord> {
  const { ports, keys, tenant } = context;
  const partitions = keys.buckets.map((bucket) => keys.deliveries(tenant, bucket));
  const { check_id, transition_id, channel_id, status } = wanted;
  const isPicky = [check_id, transition_id, channel_id, status].some((one) => one !== undefined);
  // None is older than the transition that it is about.
  const since = Math.max(oldestKept(context), transition_id === undefined ? 0 : timeOf(transition_id));
  const page = (after: string | undefined, limit: number) =>
    queryMerged<DeliveryItem>(ports.table, partitions, {
      from: idFloor('dlv', since),
      descending: true,
      limit,
      after,
      // Deliveries lie evenly in all buckets.
      ...(isPicky && { each: Math.ceil(limit / partitions.length), eventual: true }),
    });
  const read = isPicky ? filtered(page, (item) => fits(item, wanted)) : page;
  return async (after, limit) => {
    const { items, ...rest } = await read(after, limit);
    const alive = await ports.table.getMany(items.map((item) => keys.entity(tenant, item.entity_id)));
    const found = items.flatMap((item, i) =>
      alive[i] ? [{ at: item.sk, value: deliveryView(context, deliveryRecord(item)) }] : [],
    );
    return { ...rest, found };
  };
}

const fits = (item: DeliveryRecord, wanted: DeliveryFilter): boolean =>
  (['check_id', 'transition_id', 'channel_id', 'status'] as const).every(
    (name) => wanted[name] === undefined || wanted[name] === item[name],
  );

/** A delivery as the log shows it. Throws NOT_FOUND. */
export async function requireDelivery(context: Context, id: string): Promise<DeliveryRecord> {
  const { ports, keys, tenant } = context;
  const isKept = isId('dlv', id) && id >= idFloor('dlv', oldestKept(context));
  const item = isKept ? await ports.table.get<DeliveryItem>(keys.delivery(tenant, id)) : undefined;
  const entity = item && (await ports.table.get(keys.entity(tenant, item.entity_id)));
  if (!item || !entity) throw notFound(`Delivery ${id}`);
  return deliveryView(context, deliveryRecord(item));
}

/** Epoch ms. */
const oldestKept = ({ ports, caller }: Context): number => historyStart(ports.clock.now(), caller.retention_days);
