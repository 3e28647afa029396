import { type DeliveryItem, isOver } from '#lib/alerting/notify/delivery-item.ts';
import type { Env } from '#lib/env.ts';
import type { Item, Write } from '#lib/platform/ports.ts';

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
  const place = isOver(delivery) ? placeOf(env, delivery) : undefined;
  return place ? [{ delete: place }] : [];
}
