import { notFound } from '#lib/platform/errors.ts';
import type { Write } from '#lib/platform/ports.ts';
import { AGAIN, commit, untilDone } from '#lib/platform/table/retry.ts';
import type { UserItem } from './account.ts';
import { type ApiKeyItem, type ApiKeyPointer, auditedKey } from './api-key.ts';
import { auditing } from './auditing.ts';
import type { Changing, Context, Scope } from './context.ts';
import { isExpired, isForgotten } from './key-expiry.ts';

/** The pointer of a key that the caller may see: a member's own, anyone's for an admin. Throws NOT_FOUND. */
export async function requireKey(
  { ports, keys, tenant, caller }: Scope & { caller: Pick<Context['caller'], 'role' | 'user_id'> },
  id: string,
): Promise<ApiKeyPointer> {
  const pointer = await ports.table.get<ApiKeyPointer>(keys.apiKeyPointer(tenant, id));
  const isSeen = pointer && (caller.role === 'admin' || pointer.user_id === caller.user_id);
  if (!isSeen || isForgotten(pointer, ports.clock.now())) throw notFound(`API key ${id}`);
  return pointer;
}

/** Once it has returned, no request with this key is let in. */
export async function deleteKey(scope: Changing, pointer: ApiKeyPointer): Promise<void> {
  const { ports, keys, tenant } = scope;
  const note = auditing(scope, 'delete', auditedKey);
  const place = keys.apiKey(pointer.digest);
  await untilDone(ports, async () => {
    const [key, user] = await ports.table.getMany<[ApiKeyItem, UserItem]>([place, keys.user(tenant, pointer.user_id)]);
    if (!key) return true;
    const writes: Write[] = [
      // At its version: of two deletions at once, one counts.
      { delete: place, if: { version: key.v } },
      { delete: keys.apiKeyPointer(tenant, pointer.sk) },
      ...note(key, undefined),
    ];
    // One that has expired may be counted no longer (roomFor in issue-key.ts).
    if (user && !isExpired(key, ports.clock.now())) {
      const put: UserItem = { ...user, v: ports.ids.token(), keys: user.keys - 1 };
      writes.push({ put, if: { version: user.v } });
    }
    const outcome = await commit(ports, writes);
    return outcome.ok ? true : AGAIN;
  });
}
