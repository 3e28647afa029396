/**
 * A list that was read page by page, newest first, with its first page read anew: what is on the page stands in place
 * of what was held of its time, and what is older stays. Undefined when there is a gap between them, so that the list
 * has to be read from its beginning.
 * @param isWhole whether nothing is behind the page
 */
export function renewed<T extends { id: string }>(
  held: readonly T[],
  page: readonly T[],
  isWhole: boolean,
): readonly T[] | undefined {
  if (isWhole) return page;
  const last = page.findLast(({ id }) => held.some((one) => one.id === id));
  if (!last) return undefined;
  return [...page, ...held.slice(held.findIndex(({ id }) => id === last.id) + 1)];
}
