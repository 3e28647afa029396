import * as z from 'zod';
import type { Context } from '#lib/access/context.ts';
import { historyStart } from '#lib/access/retention.ts';
import { type DecidedTransition, type TransitionRecord, transitionRecord } from '#lib/alerting/decide/transition.ts';
import type { EntityItem } from '#lib/catalog/entity.ts';
import type { CheckItem } from '#lib/checks/check-item.ts';
import type { FeedItem } from '#lib/checks/state/transition.ts';
import { after as above, stamp, TRANSITIONS } from '#lib/keys.ts';
import { invalid, notFound } from '#lib/platform/errors.ts';
import type { Reader } from '#lib/platform/http/paging.ts';
import { isId, timeOf } from '#lib/platform/ids.ts';
import { assertTimeRange, Instant } from '#lib/platform/instant.ts';
import type { Item, Page, Query } from '#lib/platform/ports.ts';
import { filtered, queryMerged } from '#lib/platform/table/pages.ts';

export const checkTransitions = (
  context: Context,
  check: CheckItem,
  range: TransitionRange = {},
): Reader<TransitionRecord> => {
  const { ports, keys, tenant } = context;
  const partition = keys.ofCheck(tenant, check.id);
  const list: List<DecidedTransition> = {
    at: (ms) => `${TRANSITIONS}${stamp(ms)}`,
    end: above(TRANSITIONS),
    // The time in the id is enough, because transitions of an entity never have the same time.
    place: (id) => `${TRANSITIONS}${stamp(timeOf(id))}`,
    isNamed: (item, id) => item.transition_id === id,
    read: (query) => ports.table.query<DecidedTransition>({ partition, ...query }),
  };
  const read = inRange(context, range, list);
  return async (after, limit) => {
    const { items, next } = await read(after, limit);
    return { found: items.map((item) => ({ at: item.sk, value: transitionRecord(context, item) })), next };
  };
};

/** Reads transitions of all existing entities or of one, including transitions of deleted checks. */
export const transitionFeed = (
  context: Context,
  range: TransitionRange = {},
  entity?: EntityItem,
): Reader<TransitionRecord> => {
  const { ports, keys, tenant } = context;
  const buckets = entity ? [keys.bucketOf(entity.id)] : keys.buckets;
  const partitions = buckets.map((bucket) => keys.feed(tenant, bucket));
  const isOwn = (item: FeedItem): boolean => !entity || item.entity_id === entity.id;
  const place = (id: string): string => `${stamp(timeOf(id))}#${id}`;
  const list: List<FeedItem> = {
    at: stamp,
    end: above(''),
    place,
    isNamed: (item, id) => item.sk === place(id) && isOwn(item),
    read: (query) => queryMerged<FeedItem>(ports.table, partitions, query),
  };
  const inOrder = inRange(context, range, list);
  const read = entity ? filtered(inOrder, isOwn) : inOrder;
  return async (after, limit) => {
    const { items: entries, ...page } = await read(after, limit);
    const items = await ports.table.getMany<Item>(
      entries.flatMap(({ check_id, transition_sk, entity_id }) => [
        { pk: keys.ofCheck(tenant, check_id), sk: transition_sk },
        ...(entity ? [] : [keys.entity(tenant, entity_id)]),
      ]),
    );
    const each = entity ? 1 : 2;
    const found = entries.flatMap(({ sk }, i) => {
      const [transition, owner] = [items[each * i], entity ?? items[each * i + 1]];
      return transition && owner ? [{ at: sk, value: transitionRecord(context, transition as DecidedTransition) }] : [];
    });
    return { ...page, found };
  };
};

type List<T extends Item> = {
  /** Returns the sort key of an instant (epoch ms). `end`: the end of the list. */
  at(ms: number): string;
  end: string;
  /** Returns the sort key of a transition by its id. */
  place(id: string): string;
  isNamed(item: T, id: string): boolean;
  read(query: Omit<Query, 'partition' | 'limit'> & { limit: number }): Promise<Page<T>>;
};

/** Reads a list in the order of its range. @throws AppError NOT_FOUND if the transition `range.after` does not exist */
const inRange =
  <T extends Item>({ ports, caller }: Context, range: TransitionRange, list: List<T>) =>
  async (after: string | undefined, limit: number): Promise<Page<T>> => {
    const { since = 0, until, after: known } = range;
    const oldest = list.at(Math.max(since, historyStart(ports.clock.now(), caller.retention_days)));
    const [from] = [oldest, known === undefined ? oldest : list.place(known)].sort().reverse();
    // The known transition is read first, so that it needs no extra query.
    const isFirst = known !== undefined && after === undefined;
    const { items, next } = await list.read({
      from,
      to: until === undefined ? list.end : list.at(until),
      descending: known === undefined,
      limit: isFirst ? limit + 1 : limit,
      after,
    });
    if (!isFirst) return { items, next };
    const [first, ...others] = items;
    if (!first || !list.isNamed(first, known)) throw notFound(`Transition ${known}`);
    return { items: others, next };
  };

/** The range and order of a list of transitions (docs/use/states-and-history.md#transitions). */
export const TransitionRange = z.object({
  since: Instant.optional().describe('Only changes at or after this time, in ISO 8601.'),
  until: Instant.optional().describe('Only changes before this time, in ISO 8601.'),
  after: z
    .string()
    .optional()
    .describe(
      'Id of a transition of this list: returns later ones, oldest first. Cannot be combined with since or until.',
    ),
});
export type TransitionRange = Partial<z.output<typeof TransitionRange>>;

/** Asserts a valid range. @throws AppError VALIDATION_ERROR */
export function assertTransitionRange({ since, until, after }: TransitionRange): void {
  assertTimeRange({ since, until });
  if (after === undefined) return;
  if (!isId('trn', after)) throw invalid('after', 'must be the id of a transition, such as trn_0mi8w2c1kw4b');
  if (since !== undefined || until !== undefined) throw invalid('after', 'cannot be combined with since or until');
}

/** Returns the cursor scope of a list of transitions. @param of id of the check, or `status` for the feed */
export const scopeOf = ({ tenant }: Context, of: string, { after }: TransitionRange): string =>
  `${tenant} transitions ${of} ${after === undefined ? 'newest' : 'oldest'} first`;
