import type { Context } from '#lib/access/context.ts';
import { deliveryView } from '#lib/alerts/policy/views.ts';
import { historyStart } from '#lib/health/history/retention.ts';
import { idFloor } from '#lib/platform/ids.ts';
import { queryMerged } from '#lib/platform/table/merge.ts';
import type { Reader } from '#lib/platform/table/paging.ts';
import { type DeliveryItem, type DeliveryRecord, deliveryRecord } from './delivery-item.ts';

/** Access pattern: the tenant's buckets of deliveries, merged, newest first (ids sort by time). */

/** Reads the delivery log, without what belonged to entities that are gone. */
export function deliveryLog(context: Context): Reader<DeliveryRecord> {
  const { ports, keys, tenant } = context;
  const from = idFloor('dlv', historyStart(ports.clock.now(), context.caller.retention_days));
  return async (after, limit) => {
    const page = await queryMerged<DeliveryItem>(
      ports.table,
      keys.buckets.map((bucket) => keys.deliveries(tenant, bucket)),
      { from, descending: true, limit, after },
    );
    const alive = await ports.table.getMany(page.items.map((item) => keys.entity(tenant, item.entity_id)));
    const found = page.items.flatMap((item, i) =>
      alive[i] ? [{ at: item.sk, value: deliveryView(context, deliveryRecord(item)) }] : [],
    );
    return { found, next: page.next };
  };
}
