import type { Keys } from '#lib/keys.ts';
import type { Write } from '#lib/platform/ports.ts';
import type { UserItem } from './account.ts';

/** The writes that take away all that a user could sign in with, beside keys. */
export const meansDeletes = (
  keys: Keys,
  {
    tenant_id,
    id,
    passkeys,
    identities,
    link,
  }: Pick<UserItem, 'tenant_id' | 'id' | 'passkeys' | 'identities' | 'link'>,
): Write[] => [
  ...passkeys.map(({ digest }) => ({ delete: keys.passkey(digest) })),
  ...identities.map(({ digest }) => ({ delete: keys.identity(digest, tenant_id, id) })),
  ...(link ? [{ delete: keys.signInLink(link.digest) }] : []),
];
