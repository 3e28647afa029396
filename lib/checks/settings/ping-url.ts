import { digestOf } from '#lib/access/api-key.ts';
import type { CheckItem } from '#lib/checks/check-item.ts';
import type { Keys } from '#lib/keys.ts';
import type { Item, Write } from '#lib/platform/ports.ts';
import type { Settings } from '#lib/settings.ts';

// Address at which a push check receives pings without a key. Its UUID is the secret: 122 random bits.

/** Pointer item from the digest of a UUID to its check; 200 bytes. `until`: expiry of a replaced URL, epoch ms. */
export type PingUrlItem = Item & { tenant_id: string; check_id: string; until?: number };

export const pingUrl = ({ PING_URL }: Pick<Settings, 'PING_URL'>, uuid: string): string => `${PING_URL}/ping/${uuid}`;

/** Returns the writes that map a UUID to its check. @param until expiry, epoch ms; undefined: none */
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

export function pingUrlDeletions(keys: Keys, { tenant_id, id }: CheckItem, uuid: string): Write[] {
  const digest = digestOf(uuid);
  return [{ delete: keys.pingUrl(digest) }, { delete: keys.pingUrlOf(tenant_id, id, digest) }];
}
