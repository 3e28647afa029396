import type { UserItem } from '#lib/access/account.ts';
import type { ApiKeyPointer } from '#lib/access/api-key.ts';
import { auditing } from '#lib/access/auditing.ts';
import type { Changing } from '#lib/access/context.ts';
import { keyPointersOf } from '#lib/access/store.ts';
import { sessionKeysOf } from '#lib/identity/sessions/end-sessions.ts';
import { meansKeys } from '#lib/identity/sign-in-means.ts';
import { auditedUser, mustNotBeLastAdmin } from '#lib/identity/team/team.ts';
import { notFound } from '#lib/platform/errors.ts';
import type { Write } from '#lib/platform/ports.ts';
import { deleteAll } from '#lib/platform/table/reclaim.ts';
import { AGAIN, commit } from '#lib/platform/table/retry.ts';
import { changeTeam } from './change-team.ts';
import { invitedEmailKey } from './invited-email.ts';

/** Keys that go together, two items each, beside all passkeys; a transaction has at most 100 writes. */
const KEYS_AT_ONCE = 35;

/**
 * Removes a user with all keys, passkeys and sessions, or an invitation: from its return on, no request with any of
 * them is let in. Throws NOT_FOUND, and CONFLICT for the last admin.
 */
export function removeUser(scope: Changing, id: string): Promise<void> {
  const { ports, keys, tenant } = scope;
  const note = auditing(scope, 'remove', auditedUser);
  return changeTeam(scope, async (users, turn) => {
    let user = users.find((one) => one.id === id);
    if (!user) throw notFound(`User ${id}`);
    mustNotBeLastAdmin(users, user);

    // Refused from now on as their user is gone; these are the items.
    await deleteAll(ports, await sessionKeysOf(scope, id));
    const pointers = await keyPointersOf(scope, id);
    // Should it fail on the way, the user is still listed, with fewer keys, and can be removed again.
    while (pointers.length > KEYS_AT_ONCE) {
      const some = pointers.splice(0, KEYS_AT_ONCE);
      const fewer: UserItem = { ...user, v: ports.ids.token(), keys: pointers.length };
      const outcome = await commit(ports, [{ put: fewer, if: { version: user.v } }, ...some.flatMap(deletes)]);
      if (!outcome.ok) return AGAIN;
      user = fewer;
    }
    const writes: Write[] = [
      turn,
      // Whoever adds a key or a passkey writes the user, so that this version holds all of them.
      { delete: keys.user(tenant, id), if: { version: user.v } },
      ...pointers.flatMap(deletes),
      ...meansKeys(keys, user).map((key) => ({ delete: key })),
      ...note(user, undefined),
    ];
    if (user.invitation) {
      writes.push({ delete: keys.invitation(user.invitation.digest) }, { delete: invitedEmailKey(keys, user) });
    }
    return (await commit(ports, writes)).ok ? undefined : AGAIN;
  });

  function deletes(pointer: ApiKeyPointer): Write[] {
    return [{ delete: keys.apiKey(pointer.digest) }, { delete: keys.apiKeyPointer(tenant, pointer.sk) }];
  }
}
