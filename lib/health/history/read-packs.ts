import { setImmediate as othersTurn } from 'node:timers/promises';
import type { TenantEnv } from '#lib/access/context.ts';
import type { CheckItem } from '#lib/checks/check-item.ts';
import type { RevisionItem } from '#lib/checks/settings/revisions.ts';
import type { Window } from '#lib/history/runs/timeline.ts';
import { cellOf, numberOf, stamp } from '#lib/keys.ts';
import { pagesOf } from '#lib/platform/table/pages.ts';
import { entryOf, type PackedEntry, type PackItem } from '#lib/results/pack.ts';

/** What packs say of a check at a slot (epoch ms). */
export type PackedMoment = { at: number; entry: PackedEntry };

/** How a history is read: `page` items at a time; from behind the result with this sort key on. */
export type Reading = { descending?: boolean; page?: number; after?: string | undefined };

/** How many slots have a second pack, about. */
const STRAGGLERS = 0.1;

/** The slot (epoch ms) of a pack. */
export const slotOf = ({ sk }: PackItem): number => Number(sk.slice(0, 13));

/**
 * What the packs of its cell say of a check in a window, slot by slot, in pages. Each revision of its settings has the
 * packs of its own interval. Of several packs of a slot the first that has a run counts, and a run before a gap.
 * @param revisions those in force in the window, in the order of time
 */
export async function* packedMoments(
  { ports, keys, tenant }: TenantEnv,
  check: Pick<CheckItem, 'id'>,
  revisions: readonly RevisionItem[],
  window: Window,
  { descending = false, page }: Reading = {},
): AsyncGenerator<PackedMoment[]> {
  const number = numberOf(check.id);
  for (const { from, until, interval_seconds } of inOrder(spansOf(revisions, window), descending)) {
    let last: PackedMoment | undefined;
    const query = {
      partition: keys.packs(tenant, cellOf(check.id), interval_seconds),
      from: stamp(from),
      to: stamp(until),
      descending,
      // What the last pack says is told when the next slot has come; stragglers of a slot have a pack of their own.
      limit: page === undefined ? undefined : Math.ceil(page * (1 + STRAGGLERS)) + 1,
      eventual: true,
    };
    for await (const packs of pagesOf<PackItem>(ports.table, query)) {
      const moments: PackedMoment[] = [];
      for (const pack of packs) {
        const entry = entryOf(pack, number);
        if (!entry) continue;
        const at = slotOf(pack);
        if (last && last.at !== at) moments.push(last);
        last = last?.at === at ? { at, entry: last.entry.gap ? entry : last.entry } : { at, entry };
      }
      if (moments.length > 0) yield moments;
      // A store may answer without ever waiting.
      else await othersTurn();
    }
    if (last) yield [last];
  }
}

const inOrder = <T>(list: T[], descending: boolean): T[] => (descending ? list.reverse() : list);

/**
 * The parts of a window in which an interval held, [from, until) in epoch ms. The first one holds from the beginning of
 * the window: packs from before it are those after a clock step, when the check was made on a clock that ran ahead.
 */
const spansOf = (revisions: readonly RevisionItem[], window: Window) =>
  revisions.flatMap(({ from, enabled, rhythm }, i) => {
    const span = {
      from: i === 0 ? window.from : Math.max(from, window.from),
      until: Math.min(revisions[i + 1]?.from ?? Number.POSITIVE_INFINITY, window.until),
      interval_seconds: rhythm.interval_ms / 1000,
    };
    return enabled && span.from < span.until ? [span] : [];
  });
