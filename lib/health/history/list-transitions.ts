import type { Context } from '#lib/access/context.ts';
import type { CheckItem } from '#lib/checks/check-item.ts';
import type { FeedItem, TransitionItem } from '#lib/health/state/transition-item.ts';
import { type TransitionRecord, transitionRecord } from '#lib/health/state/transition-record.ts';
import { after as above, stamp, TRANSITIONS } from '#lib/keys.ts';
import type { Item } from '#lib/platform/ports.ts';
import { queryMerged } from '#lib/platform/table/merge.ts';
import type { Reader } from '#lib/platform/table/paging.ts';
import { historyStart } from './retention.ts';

/**
 * Access patterns, newest first:
 * - transitions of a check: query TR# under it
 * - transitions of a tenant: query feed(tenant, bucket) merged, then get many transitions and their entities
 */

const kept = ({ ports, caller }: Context): number => historyStart(ports.clock.now(), caller.retention_days);

export const checkTransitions =
  (context: Context, check: CheckItem): Reader<TransitionRecord> =>
  async (after, limit) => {
    const { ports, keys, tenant } = context;
    const { items, next } = await ports.table.query<TransitionItem>({
      partition: keys.ofCheck(tenant, check.id),
      from: `${TRANSITIONS}${stamp(kept(context))}`,
      to: above(TRANSITIONS),
      descending: true,
      limit,
      after,
    });
    return { found: items.map((item) => ({ at: item.sk, value: transitionRecord(context, item) })), next };
  };

/**
 * Transitions across all entities that still exist; those of a deleted check stay with its entity.
 * @param since epoch ms; older ones are left out
 */
export const transitionFeed =
  (context: Context, since = 0): Reader<TransitionRecord> =>
  async (after, limit) => {
    const { ports, keys, tenant } = context;
    const page = await queryMerged<FeedItem>(
      ports.table,
      keys.buckets.map((bucket) => keys.feed(tenant, bucket)),
      {
        from: stamp(Math.max(since, kept(context))),
        descending: true,
        limit,
        after,
      },
    );
    const items = await ports.table.getMany<Item>(
      page.items.flatMap(({ check_id, transition_sk, entity_id }) => [
        { pk: keys.ofCheck(tenant, check_id), sk: transition_sk },
        keys.entity(tenant, entity_id),
      ]),
    );
    const found = page.items.flatMap(({ sk }, i) => {
      const [transition, entity] = [items[2 * i], items[2 * i + 1]];
      return transition && entity ? [{ at: sk, value: transitionRecord(context, transition as TransitionItem) }] : [];
    });
    return { found, next: page.next };
  };
