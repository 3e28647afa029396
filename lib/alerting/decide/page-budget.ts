import type { Env } from '#lib/env.ts';
import type { Keys } from '#lib/keys.ts';
import type { Item, Write } from '#lib/platform/ports.ts';

/** Times (epoch ms, ascending) of urgent alerts about entities with relations. 150 bytes, 5 writes in 5 minutes. */
type UrgentAlertsItem = Item & { v: string; at: number[] };

/** Recent urgent alerts by destination; undefined if it had none. */
export type UrgentAlertCounts = ReadonlyMap<string, UrgentAlertsItem | undefined>;

const MAX_PAGES = 5;
const WITHIN_MS = 300_000;
const KEEP_SECONDS = 3600;
/** Maximum number of counted destinations per alert, to fit in a transaction. */
const MAX_COUNTED = 20;

export async function readUrgentAlertCounts(
  { ports, keys }: Env<'table'>,
  tenant: string,
  destinations: readonly string[],
): Promise<UrgentAlertCounts> {
  const counted = [...new Set(destinations)].slice(0, MAX_COUNTED);
  const items = await ports.table.getMany<UrgentAlertsItem>(counted.map((one) => keys.urgentAlerts(tenant, one)));
  return new Map(counted.map((one, i) => [one, items[i]]));
}

const recent = (pages: UrgentAlertsItem | undefined, now: number): number[] =>
  (pages?.at ?? []).filter((at) => at > now - WITHIN_MS && at <= now);

/** Whether a destination is over its page budget, so that further alerts have low urgency. */
export const isOverPageBudget = (pages: UrgentAlertCounts | undefined, destination: string, now: number): boolean =>
  recent(pages?.get(destination), now).length >= MAX_PAGES;

/** Returns the writes that count one more urgent alert per destination; none for destinations that were not read. */
export const pageCountWrites = (
  keys: Keys,
  tenant: string,
  { pages, destinations }: { pages: UrgentAlertCounts; destinations: readonly string[] },
  token: string,
  now: number,
): Write[] =>
  [...new Set(destinations)].flatMap((destination): Write[] => {
    if (!pages.has(destination)) return [];
    const before = pages.get(destination);
    const put: UrgentAlertsItem = {
      ...keys.urgentAlerts(tenant, destination),
      ...{ v: token, at: [...recent(before, now), now], expires_at: Math.floor(now / 1000) + KEEP_SECONDS },
    };
    return [{ put, if: before ? { version: before.v } : 'absent' }];
  });
