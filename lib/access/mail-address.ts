import type { Audited } from '#lib/audit/write.ts';
import type { Env } from '#lib/env.ts';
import type { Keys } from '#lib/keys.ts';
import type { Item, Key, Write } from '#lib/platform/ports.ts';
import type { Bucket } from '#lib/platform/sharing/rates.ts';
import { iso } from '#lib/platform/time.ts';
import { foldedEmail } from './account.ts';
import { digestOf } from './api-key.ts';

/** Consent of an address to mails of an account. 0.4 KB. Pending consent expires 90 days after its last request. */
export type MailAddressItem = Item & {
  v: string;
  tenant_id: string;
  address: string;
  status: 'pending' | 'confirmed' | 'unsubscribed';
  changed_at: string;
  /** E-mail address of the user who added it, with the label of the key, if any; empty if unknown. */
  added_by: string;
  /** Token bucket that limits requests to confirm. */
  requests?: Bucket;
  /** Last request to confirm: digest of its token, and expiry (epoch ms). */
  request?: { digest: string; valid_until: number };
  /** Time at which the mail server last accepted a request to confirm. */
  asked_at?: string;
  /** Reason if the last request to confirm was not sent. */
  error?: string;
};

export const auditedAddress: Audited<MailAddressItem> = {
  type: 'address',
  target: ({ address }) => ({ id: address, name: address }),
  properties: ({ status }) => ({ status }),
};

export const mailAddressKey = (keys: Keys, tenant: string, address: string): Key =>
  keys.mailAddress(tenant, digestOf(foldedEmail(address)));

/** Returns the write that confirms a member's address, verified by the identity provider, unless it is unsubscribed. */
export async function memberAddressWrites(
  { ports, keys }: Env<'table' | 'clock' | 'ids'>,
  tenant_id: string,
  address: string,
): Promise<Write[]> {
  const key = mailAddressKey(keys, tenant_id, address);
  const before = await ports.table.get<MailAddressItem>(key);
  if (before && before.status !== 'pending') return [];
  const v = ports.ids.token();
  const changed_at = iso(ports.clock.now());
  const put: MailAddressItem = { ...key, v, tenant_id, address, status: 'confirmed', changed_at, added_by: '' };
  return [{ put, if: before ? { version: before.v } : 'absent' }];
}
