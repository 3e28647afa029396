import type { ApiResponse } from './client.ts';

/**
 * Returns a response in which the given ids are masked: the longest first, because a slug can be the end of another id.
 */
export const masked = ({ status, body }: ApiResponse, ids: string[]) => ({
  status,
  body: ids
    .toSorted((a, b) => b.length - a.length)
    .reduce((text, id) => text.replaceAll(id, '…'), JSON.stringify(body)),
});

/** Whether two records have the same properties at all levels, whatever their values. */
export function sameShape(a: unknown, b: unknown): boolean {
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return typeof a === typeof b;
  const [one, two] = [Object.keys(a), Object.keys(b)];
  return one.length === two.length && one.every((key) => sameShape(a[key as never], b[key as never]));
}
