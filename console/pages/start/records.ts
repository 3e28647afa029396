import type { DeliveryRecord } from '#lib/alerts/deliver/delivery-item.ts';
import type { ChannelRecord } from '#lib/alerts/policy/policy-schemas.ts';
import type { Entity as EntityRecord } from '#lib/catalog/entity.ts';
import type { CheckRecord } from '#lib/checks/check-record.ts';

/** What the steps make, as the API answers it. */
export type Entity = EntityRecord;
/** Of any type: an http check has a target. */
export type Check = CheckRecord & { target_url?: string };
export type Channel = ChannelRecord;
export type Delivery = DeliveryRecord;
