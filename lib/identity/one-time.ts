import type { Ports } from '#lib/env.ts';
import type { Item, Key, Table, Write } from '#lib/platform/ports.ts';

/** Single-use item, such as a challenge or a sign-in link, valid until `valid_until` (epoch ms). */
export type OneTime = Item & { v: string; valid_until: number; expires_at: number };

/** Creates a single-use item, to be put if absent. @param ms validity */
export function oneTime<Content extends object>(
  { ids, clock }: Pick<Ports, 'ids' | 'clock'>,
  key: Key,
  ms: number,
  content: Content,
): Content & OneTime {
  const valid_until = clock.now() + ms;
  return { ...content, ...key, v: ids.token(), valid_until, expires_at: Math.ceil(valid_until / 1000) };
}

/** Finds a valid single-use item; undefined if it does not exist, was used, or has expired. */
export async function findOneTime<Content extends object>(
  { table, clock }: { table: Table } & Pick<Ports, 'clock'>,
  key: Key,
): Promise<(Content & OneTime) | undefined> {
  const item = await table.get<Content & OneTime>(key);
  return item && item.valid_until > clock.now() ? item : undefined;
}

/** Returns the write that uses up an item, for the transaction of its use: only one of concurrent uses commits. */
export const useOnce = ({ pk, sk, v }: OneTime): Write => ({ delete: { pk, sk }, if: { version: v } });
