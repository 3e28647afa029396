import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import type { TenantEnv } from '#lib/access/context.ts';
import type { CheckItem } from '#lib/checks/check-item.ts';
import type { RevisionItem } from '#lib/checks/settings/revisions.ts';
import { cellOf, type Keys, numberOf, RESULTS, stamp } from '#lib/keys.ts';
import { pagesOf } from '#lib/platform/table/pages.ts';
import { iso } from '#lib/platform/time.ts';
import { entryOf, type PackedEntry, type PackedGap, type PackedResult, type PackItem } from '#lib/results/pack.ts';
import { orderOf, type ResultItem } from '#lib/results/result.ts';

type PackedHistoryEntry = { at: number; entry: PackedEntry };

/** Read options. `page`: items per page. `after`: with `descending`, only results before this sort key. */
export type ReadOptions = { descending?: boolean; page?: number; after?: string | undefined };

/** Approximate share of slots with a second pack, for late results. */
const SECOND_PACK_SHARE = 0.1;

/** Returns the slot (epoch ms) of a pack. */
export const slotOf = ({ sk }: PackItem): number => Number(sk.slice(0, 13));

/**
 * Yields the entries of a check in the packs of its cell, slot by slot, in pages. Packs of a cell are stored by
 * interval, so the entries of a settings revision are in the packs of its interval. If several packs of a slot have an
 * entry, the first result that is read counts, else the gap.
 * @param revisions in force in the range, in order of time
 */
async function* packedEntries(
  { ports, keys, tenant }: TenantEnv,
  check: Pick<CheckItem, 'id'>,
  revisions: readonly RevisionItem[],
  range: SlotRange,
  { descending = false, page }: ReadOptions = {},
): AsyncGenerator<PackedHistoryEntry[]> {
  const number = numberOf(check.id);
  for (const { from, until, interval_seconds } of inOrder(revisionRanges(revisions, range), descending)) {
    let last: PackedHistoryEntry | undefined;
    const query = {
      partition: keys.packs(tenant, cellOf(check.id), interval_seconds),
      from: stamp(from),
      to: stamp(until),
      descending,
      // One more, because an entry is yielded only after the next slot was read: late results have a separate pack.
      limit: page === undefined ? undefined : Math.ceil(page * (1 + SECOND_PACK_SHARE)) + 1,
      eventual: true,
    };
    for await (const packs of pagesOf<PackItem>(ports.table, query)) {
      const entries: PackedHistoryEntry[] = [];
      for (const pack of packs) {
        const entry = entryOf(pack, number);
        if (!entry) continue;
        const at = slotOf(pack);
        if (last && last.at !== at) entries.push(last);
        last = last?.at === at ? { at, entry: last.entry.gap ? entry : last.entry } : { at, entry };
      }
      if (entries.length > 0) yield entries;
      // A store in this process can resolve without letting other work run.
      else await yieldToEventLoop();
    }
    if (last) yield [last];
  }
}

const inOrder = <T>(list: T[], descending: boolean): T[] => (descending ? list.reverse() : list);

/** Returns the ranges of enabled revisions. The first starts with `range`, for packs from before a clock correction. */
const revisionRanges = (revisions: readonly RevisionItem[], range: SlotRange) =>
  revisions.flatMap(({ from, enabled, rhythm }, i) => {
    const part = {
      from: i === 0 ? range.from : Math.max(from, range.from),
      until: Math.min(revisions[i + 1]?.from ?? Number.POSITIVE_INFINITY, range.until),
      interval_seconds: rhythm.interval_ms / 1000,
    };
    return enabled && part.from < part.until ? [part] : [];
  });

/** Entry of a history at `at` (epoch ms): a single or packed result, or the cause of a gap. */
export type HistoryEntry =
  | { at: number; result: ResultItem | PackedResult; gap?: never }
  | { at: number; gap: PackedGap['gap'] };

/**
 * Yields the stored results and gap causes of a check, in pages. A slot with a single and a packed result was probed
 * twice: the single result counts, because it changed the check. `revisions`: in force in the range, in order of time.
 */
export async function* storedEntries(
  context: TenantEnv,
  check: CheckItem,
  revisions: readonly RevisionItem[],
  range: SlotRange,
  options: ReadOptions = {},
): AsyncGenerator<HistoryEntry[]> {
  const { descending = false, after } = options;
  const pages = singleResults(context, check, range, options);
  if (check.execution_mode === 'push') return yield* pages;
  const singles = cursorOf(pages);
  await singles.next();
  for await (const packed of packedEntries(context, check, revisions, remainingRange(range, after), options)) {
    const entries: HistoryEntry[] = [];
    for (const packedEntry of packed) {
      while (singles.head && isBefore(singles.head.at, packedEntry.at, descending)) {
        entries.push(singles.head);
        await singles.next();
      }
      if (singles.head?.at !== packedEntry.at) entries.push(historyEntryOf(packedEntry));
    }
    yield entries;
  }
  for (; singles.head; await singles.next()) yield [singles.head];
}

/** Maximum time (ms) from a settings change to the sort time of a result of older settings, because clocks differ. */
const OLDER_SETTINGS_MS = 60_000;

/** Whether a check can have single results since `from` (epoch ms), including those of older settings. */
const hasSingles = ({ execution_mode, single, settings_at }: CheckItem, from: number): boolean =>
  execution_mode === 'push' ||
  Math.max(single === undefined ? 0 : orderOf({ sk: single }), settings_at + OLDER_SETTINGS_MS) >= from;

const remainingRange = (range: SlotRange, after: string | undefined): SlotRange =>
  after === undefined ? range : { from: range.from, until: Math.min(range.until, orderOf({ sk: after })) };

const historyEntryOf = ({ at, entry }: PackedHistoryEntry): HistoryEntry =>
  entry.gap ? { at, gap: entry.gap } : { at, result: entry };

const isBefore = (a: number, b: number, descending: boolean): boolean => (descending ? a > b : a < b);

async function* singleResults(
  { ports, keys, tenant }: TenantEnv,
  check: CheckItem,
  { from, until }: SlotRange,
  { descending, page, after }: ReadOptions,
): AsyncGenerator<HistoryEntry[]> {
  if (!hasSingles(check, from)) return;
  const query = {
    partition: keys.ofCheck(tenant, check.id),
    from: `${RESULTS}${stamp(from)}`,
    to: `${RESULTS}${stamp(until)}`,
    descending,
    limit: page,
    after,
  };
  for await (const items of pagesOf<ResultItem>(ports.table, query)) {
    yield items.map((result) => ({ at: orderOf(result), result }));
  }
}

/** Iterates over pages item by item; `head` is undefined before the first `next` and after the last item. */
function cursorOf<T>(pages: AsyncGenerator<T[]>) {
  let page: T[] = [];
  let i = 0;
  return {
    head: undefined as T | undefined,
    async next(): Promise<void> {
      i++;
      while (i >= page.length) {
        const read = await pages.next();
        i = 0;
        page = read.done ? [] : read.value;
        if (read.done) break;
      }
      this.head = page[i];
    },
  };
}

/** Returns a single or packed result as a result item; its id follows from check, slot and settings revision. */
export function resultOf(
  keys: Keys,
  { tenant_id, id }: CheckItem,
  at: number,
  result: ResultItem | PackedResult,
): ResultItem {
  if ('sk' in result) return result;
  const { begin, latency_ms, status_code, rev, success, error, warning_message } = result;
  return {
    ...keys.result(tenant_id, id, at, String(rev)),
    status_code,
    latency_ms,
    success,
    error_message: error?.message ?? '',
    error_kind: error?.kind ?? null,
    ...(warning_message && { warning_message }),
    checked_at: iso(at + begin),
  };
}

/** Range of slots [from, until) in epoch ms. */
export type SlotRange = { from: number; until: number };
