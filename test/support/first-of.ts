/** Returns the first `count` values of a possibly infinite iterable. */
export function firstOf<T>(all: Iterable<T>, count: number): T[] {
  const found: T[] = [];
  if (count === 0) return found;
  for (const one of all) if (found.push(one) === count) break;
  return found;
}
