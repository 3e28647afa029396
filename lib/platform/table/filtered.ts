/** What one call looks at of a list, however little of it fits. */
export const MOST_WALKED = 1_000;
export const WALKED_AT_ONCE = 200;

type Page<T> = { items: T[]; next?: string | undefined };

/**
 * Reads what fits of a list that has no order by it, up to `limit` items at a time. After a look at 1,000 items it has
 * `enough`: the page ends there, and the next one goes on.
 * @param read reads on behind a sort key
 */
export function filtered<T extends { sk: string }>(
  read: (after: string | undefined, limit: number) => Promise<Page<T>>,
  fits: (item: T) => boolean,
): (after: string | undefined, limit: number) => Promise<Page<T> & { enough: boolean }> {
  let walked = 0;
  return async (after, limit) => {
    const page = await read(after, WALKED_AT_ONCE);
    walked += page.items.length;
    const fitting = page.items.filter(fits);
    const items = fitting.slice(0, limit);
    const next = items.length < fitting.length ? items.at(-1)!.sk : page.next;
    return { items, next, enough: walked >= MOST_WALKED };
  };
}
