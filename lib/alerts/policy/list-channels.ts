import type { Context } from '#lib/access/context.ts';
import type { ChannelPointer } from '#lib/alerting/configure/check-channels.ts';
import type { ChannelRecord } from '#lib/alerting/configure/policy-schemas.ts';
import { channelView } from '#lib/alerting/configure/views.ts';
import type { LastDeliveryItem } from '#lib/alerting/notify/delivery-item.ts';
import type { PolicyItem } from '#lib/alerting/policy/policy.ts';
import { shownOf } from '#lib/alerts/deliver/last-delivery.ts';
import type { Reader } from '#lib/platform/http/paging.ts';
import { queryMerged } from '#lib/platform/table/merge.ts';

/** Access pattern: the tenant's buckets of channel pointers, merged, oldest first; then the policies they lead to. */

/** Reads the channels of all checks; those of a check that is gone are left out until they are reclaimed. */
export const channelsOfChecks =
  (context: Context): Reader<ChannelRecord> =>
  async (after, limit) => {
    const { ports, keys, tenant } = context;
    const page = await queryMerged<ChannelPointer>(
      ports.table,
      keys.buckets.map((bucket) => keys.channels(tenant, bucket)),
      { limit, after },
    );
    const [checks, policies, lasts] = await Promise.all([
      ports.table.getMany(page.items.map(({ check_id }) => keys.check(tenant, check_id))),
      ports.table.getMany<PolicyItem>(page.items.map(({ check_id }) => keys.policy(tenant, check_id))),
      ports.table.getMany<LastDeliveryItem>(
        page.items.map(({ check_id, channel_id }) => keys.lastDelivery(tenant, check_id, channel_id)),
      ),
    ]);
    const found = page.items.flatMap(({ sk, check_id, channel_id }, i) => {
      const channel = checks[i] && policies[i]?.channels.find((one) => one.id === channel_id);
      return channel ? [{ at: sk, value: channelView(context, check_id, channel, shownOf(lasts[i])) }] : [];
    });
    return { found, next: page.next };
  };
