import { isInvited, type Role, type UserItem } from '#lib/access/account.ts';
import type { ApiKeyItem, ApiKeyPointer } from '#lib/access/api-key.ts';
import { auditWriter } from '#lib/access/audit-writer.ts';
import type { Context, MutationContext } from '#lib/access/context.ts';
import { keyPointersOf } from '#lib/access/store.ts';
import { isSame } from '#lib/audit/write.ts';
import { credentialKeys } from '#lib/identity/credentials.ts';
import { sessionKeysOf } from '#lib/identity/sessions/end-sessions.ts';
import { AppError, notFound } from '#lib/platform/errors.ts';
import { assertAllowed } from '#lib/platform/http/assert-allowed.ts';
import type { Write } from '#lib/platform/ports.ts';
import { deleteAll } from '#lib/platform/table/reclaim.ts';
import { commit, RETRY } from '#lib/platform/table/retry.ts';
import { invitedEmailKey } from './invitations.ts';
import {
  assertNotLastAdmin,
  auditedUser,
  changeTeam,
  isSameEmail,
  type TeamMember,
  teamMember,
  type UserPatch,
} from './team.ts';

/** Keys written together; a transaction has at most 100 writes. */
const KEYS_AT_ONCE = 50;

/**
 * Changes what is supplied: one's own name, or anything as an admin. A role and an e-mail address hold for all keys of
 * the user from its return on. Throws NOT_FOUND, FORBIDDEN, and CONFLICT for the last admin, for an e-mail address that
 * is taken, and for what an invited person has yet to say.
 */
export async function changeUser(context: Context, id: string, patch: UserPatch): Promise<TeamMember> {
  const { caller } = context;
  if (id !== caller.user_id) assertAllowed(caller, 'manage');
  return change(context, id, patch, (before, after) => {
    if (before.role !== after.role || before.email !== after.email) assertAllowed(caller, 'manage');
  });
}

/** The same by the operator, who may give any role to anybody. */
export const setRole = (scope: MutationContext, id: string, role: Role): Promise<TeamMember> =>
  change(scope, id, { role }, () => {});

/** @param judge throws for a change that must not be */
function change(
  scope: MutationContext,
  id: string,
  patch: UserPatch,
  judge: (before: UserItem, after: UserItem) => void,
): Promise<TeamMember> {
  const { ports, keys, tenant } = scope;
  const note = auditWriter(scope, 'update', auditedUser);
  return changeTeam(scope, async (users, turn) => {
    const before = users.find((user) => user.id === id);
    if (!before) throw notFound(`User ${id}`);
    const { role = before.role, name = before.name, email = before.email } = patch;
    const after: UserItem = { ...before, role, name, email, v: ports.ids.token() };
    if (isSame(auditedUser, before, after)) return teamMember(before);
    judge(before, after);
    assertChangeAllowed(users, before, after);

    const copies = (await keysBehind(scope, after)).map((key): Write => {
      const put: ApiKeyItem = { ...key, role, user_email: email, v: ports.ids.token() };
      return { put, if: { version: key.v } };
    });
    // Should it fail on the way, the user is not changed yet, and it can be sent again.
    while (copies.length > KEYS_AT_ONCE) {
      const still: Write = { check: keys.user(tenant, id), if: { version: before.v } };
      const outcome = await commit(ports, [still, ...copies.splice(0, KEYS_AT_ONCE)]);
      if (!outcome.ok) return RETRY;
    }
    // Whoever adds a key writes the user, so that this version holds all its keys.
    const outcome = await commit(ports, [
      turn,
      { put: after, if: { version: before.v } },
      ...copies,
      ...note(before, after),
    ]);
    return outcome.ok ? teamMember(after) : RETRY;
  });
}

function assertChangeAllowed(users: UserItem[], before: UserItem, after: UserItem): void {
  if (isInvited(before) && (after.name !== before.name || after.email !== before.email)) {
    throw new AppError(
      'CONFLICT',
      `${before.email} has yet to accept the invitation, and gives a name then. For another address invite that.`,
    );
  }
  const taken = users.find((other) => other.id !== before.id && isSameEmail(other.email, after.email));
  if (taken) {
    throw new AppError('CONFLICT', `${taken.email} is a member of this team already, or invited to it.`);
  }
  if (after.role !== 'admin') assertNotLastAdmin(users, before);
}

/** The keys of a user that do not repeat them as they shall be. */
async function keysBehind(scope: MutationContext, { id, role, email }: UserItem): Promise<ApiKeyItem[]> {
  const pointers = await keyPointersOf(scope, id);
  const items = await scope.ports.table.getMany<ApiKeyItem>(pointers.map(({ digest }) => scope.keys.apiKey(digest)));
  return items.filter((key) => key !== undefined).filter((key) => key.role !== role || key.user_email !== email);
}

/** Keys that go together, two items each, beside all passkeys; a transaction has at most 100 writes. */
const KEYS_REMOVED_AT_ONCE = 35;

/**
 * Removes a user with all keys, passkeys and sessions, or an invitation: from its return on, no request with any of
 * them is let in. Throws NOT_FOUND, and CONFLICT for the last admin.
 */
export function removeUser(scope: MutationContext, id: string): Promise<void> {
  const { ports, keys, tenant } = scope;
  const note = auditWriter(scope, 'remove', auditedUser);
  return changeTeam(scope, async (users, turn) => {
    let user = users.find((one) => one.id === id);
    if (!user) throw notFound(`User ${id}`);
    assertNotLastAdmin(users, user);

    // Refused from now on as their user is gone; these are the items.
    await deleteAll(ports, await sessionKeysOf(scope, id));
    const pointers = await keyPointersOf(scope, id);
    // Should it fail on the way, the user is still listed, with fewer keys, and can be removed again.
    while (pointers.length > KEYS_REMOVED_AT_ONCE) {
      const some = pointers.splice(0, KEYS_REMOVED_AT_ONCE);
      const fewer: UserItem = { ...user, v: ports.ids.token(), keys: pointers.length };
      const outcome = await commit(ports, [{ put: fewer, if: { version: user.v } }, ...some.flatMap(deletes)]);
      if (!outcome.ok) return RETRY;
      user = fewer;
    }
    const writes: Write[] = [
      turn,
      // Whoever adds a key or a passkey writes the user, so that this version holds all of them.
      { delete: keys.user(tenant, id), if: { version: user.v } },
      ...pointers.flatMap(deletes),
      ...credentialKeys(keys, user).map((key) => ({ delete: key })),
      ...note(user, undefined),
    ];
    if (user.invitation) {
      writes.push({ delete: keys.invitation(user.invitation.digest) }, { delete: invitedEmailKey(keys, user) });
    }
    return (await commit(ports, writes)).ok ? undefined : RETRY;
  });

  function deletes(pointer: ApiKeyPointer): Write[] {
    return [{ delete: keys.apiKey(pointer.digest) }, { delete: keys.apiKeyPointer(tenant, pointer.sk) }];
  }
}
