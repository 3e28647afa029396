import type { UserItem } from '#lib/access/account.ts';
import type { Keys } from '#lib/keys.ts';
import type { Key } from '#lib/platform/ports.ts';

export const credentialKeys = (
  keys: Keys,
  {
    tenant_id,
    id,
    passkeys,
    identities,
    link,
  }: Pick<UserItem, 'tenant_id' | 'id' | 'passkeys' | 'identities' | 'link'>,
): Key[] => [
  ...passkeys.map(({ digest }) => keys.passkey(digest)),
  ...identities.map(({ digest }) => keys.identity(digest, tenant_id, id)),
  ...(link ? [keys.signInLink(link.digest)] : []),
];
