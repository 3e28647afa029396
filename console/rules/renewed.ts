/** Merges a new first page with older items; undefined if there is a gap. @param isWhole whether no page follows */
export function renewed<T extends { id: string }>(
  items: readonly T[],
  page: readonly T[],
  isWhole: boolean,
): readonly T[] | undefined {
  if (isWhole) return page;
  const last = page.findLast(({ id }) => items.some((one) => one.id === id));
  if (!last) return undefined;
  return [...page, ...items.slice(items.findIndex(({ id }) => id === last.id) + 1)];
}
