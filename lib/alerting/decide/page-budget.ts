import type { Env } from '#lib/env.ts';
import type { Keys } from '#lib/keys.ts';
import type { Item, Write } from '#lib/platform/ports.ts';

/**
 * When a destination was paged lately, by whichever check of what has relations: after some pages all that is told of
 * failures there is low, until there are fewer. Times in epoch ms, ascending. Some 150 bytes, written with a page: so
 * five times in five minutes at most.
 */
type PagesItem = Item & { v: string; at: number[] };

/** What is known of destinations; one that was not paged has none. */
export type PageCounts = ReadonlyMap<string, PagesItem | undefined>;

const MAX_PAGES = 5;
const WITHIN_MS = 300_000;
const KEEP_SECONDS = 3600;
/** So many destinations of an alert are counted, so that a transaction has room for them. */
const MAX_COUNTED = 20;

/** Reads when destinations were paged. */
export async function readPageCounts(
  { ports, keys }: Env<'table'>,
  tenant: string,
  destinations: readonly string[],
): Promise<PageCounts> {
  const counted = [...new Set(destinations)].slice(0, MAX_COUNTED);
  const items = await ports.table.getMany<PagesItem>(counted.map((one) => keys.pages(tenant, one)));
  return new Map(counted.map((one, i) => [one, items[i]]));
}

const recent = (pages: PagesItem | undefined, now: number): number[] =>
  (pages?.at ?? []).filter((at) => at > now - WITHIN_MS && at <= now);

/** Whether a destination was paged so often within five minutes that what comes now is low. */
export const isOverPageBudget = (pages: PageCounts | undefined, destination: string, now: number): boolean =>
  recent(pages?.get(destination), now).length >= MAX_PAGES;

/** The writes of one more page at each of some destinations, over what was read; none for one that is not counted. */
export const pageCountWrites = (
  keys: Keys,
  tenant: string,
  { pages, destinations }: { pages: PageCounts; destinations: readonly string[] },
  token: string,
  now: number,
): Write[] =>
  [...new Set(destinations)].flatMap((destination): Write[] => {
    if (!pages.has(destination)) return [];
    const before = pages.get(destination);
    const put: PagesItem = {
      ...keys.pages(tenant, destination),
      ...{ v: token, at: [...recent(before, now), now], expires_at: Math.floor(now / 1000) + KEEP_SECONDS },
    };
    return [{ put, if: before ? { version: before.v } : 'absent' }];
  });
