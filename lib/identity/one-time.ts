import type { Ports } from '#lib/env.ts';
import type { Item, Key, Table, Write } from '#lib/platform/ports.ts';

/** Single-use item, valid until `valid_until` (epoch ms): a challenge, or the request of a sign-in. */
export type OneTime = Item & { v: string; valid_until: number; expires_at: number };

/** Creates a single-use item, to be put on `absent`. @param ms validity */
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

/** Returns the write that uses it up, for the transaction of its use: of concurrent uses only one commits. */
export const useOnce = ({ pk, sk, v }: OneTime): Write => ({ delete: { pk, sk }, if: { version: v } });
