import type { Answer } from './client.ts';

/** An answer without the ids that were asked for; the longest first, as a slug may end one by chance. */
export const masked = ({ status, body }: Answer, ids: string[]) => ({
  status,
  body: ids
    .toSorted((a, b) => b.length - a.length)
    .reduce((text, id) => text.replaceAll(id, '…'), JSON.stringify(body)),
});

/** Whether two records have the same members all the way down, whatever their texts say. */
export function sameShape(a: unknown, b: unknown): boolean {
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return typeof a === typeof b;
  const [one, two] = [Object.keys(a), Object.keys(b)];
  return one.length === two.length && one.every((key) => sameShape(a[key as never], b[key as never]));
}
