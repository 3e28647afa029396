import { digestOf } from '#lib/access/api-key.ts';
import type { CheckItem } from '#lib/checks/check-item.ts';
import type { Keys } from '#lib/keys.ts';
import type { Item, Write } from '#lib/platform/ports.ts';
import type { Settings } from '#lib/settings.ts';

// The address at which a push check takes pings without a key. Its UUID is the secret that opens it: 122 random bits.

/** Leads from the digest of a UUID to its check; 200 bytes. `until` (epoch ms): it was replaced, and works so long. */
export type PingUrlItem = Item & { tenant_id: string; check_id: string; until?: number };

/** The address of a UUID. */
export const pingUrl = ({ PING_URL }: Pick<Settings, 'PING_URL'>, uuid: string): string => `${PING_URL}/ping/${uuid}`;

/**
 * The writes by which a UUID leads to its check, and by which the reclaimer finds it once the check is gone.
 * @param until epoch ms until which it works; undefined: for good
 */
export function pingUrlWrites(
  keys: Keys,
  { tenant_id, id: check_id }: CheckItem,
  uuid: string,
  until?: number,
): Write[] {
  const digest = digestOf(uuid);
  const end = until === undefined ? {} : { expires_at: Math.ceil(until / 1000) };
  const pointer: PingUrlItem = {
    ...keys.pingUrl(digest),
    tenant_id,
    check_id,
    ...(until !== undefined && { until }),
    ...end,
  };
  return [{ put: pointer }, { put: { ...keys.pingUrlOf(tenant_id, check_id, digest), ...end } }];
}

/** The writes by which a UUID leads nowhere any more. */
export function noPingUrl(keys: Keys, { tenant_id, id }: CheckItem, uuid: string): Write[] {
  const digest = digestOf(uuid);
  return [{ delete: keys.pingUrl(digest) }, { delete: keys.pingUrlOf(tenant_id, id, digest) }];
}
