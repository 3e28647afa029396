import type { Ports } from '#lib/env.ts';
import type { Item, Key, Table, Write } from '#lib/platform/ports.ts';

/** An item that is good for one use, until `valid_until` (epoch ms): a challenge, the request of a sign-in. */
export type OneTime = Item & { v: string; valid_until: number; expires_at: number };

/** Such an item, to be put on `absent`. @param ms how long it is good */
export function oneTime<Content extends object>(
  { ids, clock }: Pick<Ports, 'ids' | 'clock'>,
  key: Key,
  ms: number,
  content: Content,
): Content & OneTime {
  const valid_until = clock.now() + ms;
  return { ...content, ...key, v: ids.token(), valid_until, expires_at: Math.ceil(valid_until / 1000) };
}

/** One that is still good; undefined where there never was one, where it was used, and after its time. */
export async function findOneTime<Content extends object>(
  { table, clock }: { table: Table } & Pick<Ports, 'clock'>,
  key: Key,
): Promise<(Content & OneTime) | undefined> {
  const item = await table.get<Content & OneTime>(key);
  return item && item.valid_until > clock.now() ? item : undefined;
}

/** The write that uses it up, for the transaction of what it is used for: of any number at once one takes place. */
export const useOnce = ({ pk, sk, v }: OneTime): Write => ({ delete: { pk, sk }, if: { version: v } });
