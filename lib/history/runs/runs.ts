import type { TenantEnv } from '#lib/access/context.ts';
import type { CheckItem } from '#lib/checks/check-item.ts';
import type { RevisionItem } from '#lib/checks/settings/revisions.ts';
import { type PackedMoment, packedMoments, type Reading } from '#lib/health/history/read-packs.ts';
import { RESULTS } from '#lib/keys/prefixes.ts';
import { type Keys, stamp } from '#lib/keys.ts';
import { pagesOf } from '#lib/platform/table/pages.ts';
import { iso } from '#lib/platform/time.ts';
import type { PackedGap, PackedRun } from '#lib/results/pack.ts';
import { orderOf, type ResultItem } from '#lib/results/result.ts';
import type { Window } from './timeline.ts';

/** A run of a check, ordered by `at` (epoch ms): a result of its own, or a part of a pack; or why a slot has none. */
export type Moment = { at: number; run: ResultItem | PackedRun; gap?: never } | { at: number; gap: PackedGap['gap'] };

/**
 * What is stored of a check's runs in a window, in pages: the packs of its cell and its single results. Where both
 * speak of a slot, it was probed twice: the single result changed something, so that it is the one that was judged.
 * @param revisions those in force in the window, in the order of time
 */
export async function* storedRuns(
  context: TenantEnv,
  check: CheckItem,
  revisions: readonly RevisionItem[],
  window: Window,
  reading: Reading = {},
): AsyncGenerator<Moment[]> {
  const { descending = false, after } = reading;
  const pages = singleResults(context, check, window, reading);
  if (check.execution_mode === 'push') return yield* pages;
  const singles = cursorOf(pages);
  await singles.next();
  for await (const packed of packedMoments(context, check, revisions, behind(window, after), reading)) {
    const moments: Moment[] = [];
    for (const moment of packed) {
      while (singles.head && isBefore(singles.head.at, moment.at, descending)) {
        moments.push(singles.head);
        await singles.next();
      }
      if (singles.head?.at !== moment.at) moments.push(momentOf(moment));
    }
    yield moments;
  }
  for (; singles.head; await singles.next()) yield [singles.head];
}

/** By how much (ms) a probe with older settings may be ordered behind their change, as clocks of ours differ. */
const OLDER_SETTINGS_MS = 60_000;

/** Whether a check may have single results since then (epoch ms). Its item tells, but of those with older settings. */
const hasSingles = ({ execution_mode, single, settings_at }: CheckItem, from: number): boolean =>
  execution_mode === 'push' ||
  Math.max(single === undefined ? 0 : orderOf({ sk: single }), settings_at + OLDER_SETTINGS_MS) >= from;

/** Results go on behind a sort key when they are read newest first. */
const behind = (window: Window, after: string | undefined): Window =>
  after === undefined ? window : { from: window.from, until: Math.min(window.until, orderOf({ sk: after })) };

const momentOf = ({ at, entry }: PackedMoment): Moment => (entry.gap ? { at, gap: entry.gap } : { at, run: entry });

const isBefore = (a: number, b: number, descending: boolean): boolean => (descending ? a > b : a < b);

async function* singleResults(
  { ports, keys, tenant }: TenantEnv,
  check: CheckItem,
  { from, until }: Window,
  { descending, page, after }: Reading,
): AsyncGenerator<Moment[]> {
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
    yield items.map((run) => ({ at: orderOf(run), run }));
  }
}

/** Goes through pages item by item; `head` is undefined before the first `next` and behind the last item. */
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

/** A run as a result of its own: its id follows from check, slot and settings revision, wherever it is stored. */
export function resultOf(
  keys: Keys,
  { tenant_id, id }: CheckItem,
  at: number,
  run: ResultItem | PackedRun,
): ResultItem {
  if ('sk' in run) return run;
  const { begin, latency_ms, status_code, rev, success, error, warning_message } = run;
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
