import * as z from 'zod';
import type { Context } from '#lib/access/context.ts';
import { historyStart } from '#lib/access/retention.ts';
import { type DeliveryItem, DeliveryRecord, deliveryRecord } from '#lib/alerting/notify/delivery-item.ts';
import { ACCOUNT_CHANNEL } from '#lib/alerting/policy/channel-location.ts';
import { notFound } from '#lib/platform/errors.ts';
import type { Reader } from '#lib/platform/http/paging.ts';
import { idFloor, isId, timeOf } from '#lib/platform/ids.ts';
import { filtered, queryMerged } from '#lib/platform/table/pages.ts';
import { deliveryView } from './views.ts';

const idOf = (of: string, ...prefixes: string[]) =>
  z
    .string()
    .refine(
      (text) => prefixes.some((prefix) => isId(prefix, text)),
      `must be the id of a ${of}, which begins with ${prefixes.map((prefix) => `${prefix}_`).join(' or ')}`,
    )
    .optional()
    .describe(`Only deliveries of this ${of}.`);

/** Filter of the delivery log: all properties must match. */
export const DeliveryFilter = z.object({
  check_id: idOf('check', 'chk'),
  transition_id: idOf('transition', 'trn'),
  channel_id: idOf('channel or subscriber', 'chn', ACCOUNT_CHANNEL, 'sub'),
  status: DeliveryRecord.shape.status.optional().describe('Only deliveries in this status.'),
});
export type DeliveryFilter = z.output<typeof DeliveryFilter>;

/** Whether a delivery is shown: its entity exists, or it has no entity (account channel test, status update). */
const isShown = ({ entity_id }: DeliveryRecord, entity: object | undefined): boolean => entity_id === '' || !!entity;

/** Reads the delivery log without deliveries of deleted entities. */
export function deliveryLog(context: Context, wanted: DeliveryFilter = {}): Reader<DeliveryRecord> {
  const { ports, keys, tenant } = context;
  const partitions = keys.buckets.map((bucket) => keys.deliveries(tenant, bucket));
  const { check_id, transition_id, channel_id, status } = wanted;
  const isFiltered = [check_id, transition_id, channel_id, status].some((one) => one !== undefined);
  // A delivery is never older than its transition.
  const since = Math.max(oldestKept(context), transition_id === undefined ? 0 : timeOf(transition_id));
  const page = (after: string | undefined, limit: number) =>
    queryMerged<DeliveryItem>(ports.table, partitions, {
      from: idFloor('dlv', since),
      descending: true,
      limit,
      after,
      // Deliveries are evenly distributed over the buckets.
      ...(isFiltered && { each: Math.ceil(limit / partitions.length), eventual: true }),
    });
  const read = isFiltered ? filtered(page, (item) => matches(item, wanted)) : page;
  return async (after, limit) => {
    const { items, ...rest } = await read(after, limit);
    const entities = await ports.table.getMany(items.map((item) => keys.entity(tenant, item.entity_id)));
    const found = items.flatMap((item, i) =>
      isShown(item, entities[i]) ? [{ at: item.sk, value: deliveryView(context, deliveryRecord(item)) }] : [],
    );
    return { ...rest, found };
  };
}

const matches = (item: DeliveryRecord, wanted: DeliveryFilter): boolean =>
  (['check_id', 'transition_id', 'channel_id', 'status'] as const).every(
    (name) => wanted[name] === undefined || wanted[name] === item[name],
  );

/** Finds a delivery. @throws AppError NOT_FOUND */
export async function requireDelivery(context: Context, id: string): Promise<DeliveryRecord> {
  const { ports, keys, tenant } = context;
  const isKept = isId('dlv', id) && id >= idFloor('dlv', oldestKept(context));
  const item = isKept ? await ports.table.get<DeliveryItem>(keys.delivery(tenant, id)) : undefined;
  const entity = item && (await ports.table.get(keys.entity(tenant, item.entity_id)));
  if (!item || !isShown(item, entity)) throw notFound(`Delivery ${id}`);
  return deliveryView(context, deliveryRecord(item));
}

const oldestKept = ({ ports, caller }: Context): number => historyStart(ports.clock.now(), caller.retention_days);
