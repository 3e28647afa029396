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
import { deadlineEntry, nextReportAt } from '#lib/schedule/entries.ts';
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

/** Keys written per transaction, which has at most 100 writes. */
const KEYS_AT_ONCE = 50;

/**
 * Changes the given properties. Users may change their own name and monthly report, admins everything except the report
 * of another user. When it returns, all keys of the user have the new role and e-mail address. Throws NOT_FOUND,
 * FORBIDDEN, and CONFLICT if the last admin would get another role, the e-mail address is in use, or the name or e-mail
 * address of an invited user would change.
 */
export async function changeUser(context: Context, id: string, patch: UserPatch): Promise<TeamMember> {
  const { caller } = context;
  if (id !== caller.user_id) assertAllowed(caller, 'manage');
  const member = await change(context, id, patch, (before, after) => {
    if (before.role !== after.role || before.email !== after.email) assertAllowed(caller, 'manage');
    if ((before.monthly_report ?? false) !== after.monthly_report && id !== caller.user_id) {
      throw new AppError('FORBIDDEN', `Only ${before.email} may change monthly_report of ${id}.`);
    }
  });
  // Requests confirmation of the address. If the message is lost, the first report requests it.
  if (member.monthly_report && (patch.monthly_report || patch.email !== undefined)) {
    const body = { tenant_id: context.tenant, address: member.email };
    await context.ports.queues.send('delivery', [{ body, group: context.tenant }]);
  }
  return member;
}

/** Sets the role of a user on behalf of the operator, without a check of permissions. */
export const setRole = (scope: MutationContext, id: string, role: Role): Promise<TeamMember> =>
  change(scope, id, { role }, () => {});

function change(
  scope: MutationContext,
  id: string,
  patch: UserPatch,
  assertPermitted: (before: UserItem, after: UserItem) => void,
): Promise<TeamMember> {
  const { ports, keys, tenant } = scope;
  const auditWrites = auditWriter(scope, 'update', auditedUser);
  return changeTeam(scope, async (users, teamWrite) => {
    const before = users.find((user) => user.id === id);
    if (!before) throw notFound(`User ${id}`);
    const { role = before.role, name = before.name, email = before.email } = patch;
    const { monthly_report = before.monthly_report ?? false } = patch;
    const after: UserItem = { ...before, role, name, email, monthly_report, v: ports.ids.token() };
    if (isSame(auditedUser, before, after)) return teamMember(before);
    assertPermitted(before, after);
    assertNoConflict(users, before, after);

    const copies = (await outdatedKeys(scope, after)).map((key): Write => {
      const put: ApiKeyItem = { ...key, role, user_email: email, v: ports.ids.token() };
      return { put, if: { version: key.v } };
    });
    // After a failure between two transactions, the user is unchanged, and the request can be repeated.
    while (copies.length > KEYS_AT_ONCE) {
      const still: Write = { check: keys.user(tenant, id), if: { version: before.v } };
      const outcome = await commit(ports, [still, ...copies.splice(0, KEYS_AT_ONCE)]);
      if (!outcome.ok) return RETRY;
    }
    // Adding a key writes the user, so this condition fails if a key was added after the read.
    const outcome = await commit(ports, [
      teamWrite,
      { put: after, if: { version: before.v } },
      ...copies,
      ...reportWrites(scope, before, after),
      ...auditWrites(before, after),
    ]);
    return outcome.ok ? teamMember(after) : RETRY;
  });
}

/** Returns the writes that schedule or end the reports of a user. The entry of a removed user is deleted when due. */
function reportWrites(
  { ports, keys }: MutationContext,
  before: UserItem,
  { tenant_id, id, monthly_report }: UserItem,
): Write[] {
  if ((before.monthly_report ?? false) === monthly_report) return [];
  if (!monthly_report) return [{ delete: keys.entry('report', tenant_id, id) }];
  const owner = { tenant_id, entity_id: id, id };
  return [{ put: deadlineEntry(keys, 'report', owner, ports.ids.token(), nextReportAt(ports.clock.now())) }];
}

function assertNoConflict(users: UserItem[], before: UserItem, after: UserItem): void {
  if (isInvited(before) && (after.name !== before.name || after.email !== before.email)) {
    throw new AppError(
      'CONFLICT',
      `${before.email} has not accepted the invitation yet; accepting it sets the name. To change the address, invite the new one.`,
    );
  }
  const taken = users.find((other) => other.id !== before.id && isSameEmail(other.email, after.email));
  if (taken) {
    throw new AppError('CONFLICT', `${taken.email} is already a member of this team, or invited to it.`);
  }
  if (after.role !== 'admin') assertNotLastAdmin(users, before);
}

async function outdatedKeys(scope: MutationContext, { id, role, email }: UserItem): Promise<ApiKeyItem[]> {
  const pointers = await keyPointersOf(scope, id);
  const items = await scope.ports.table.getMany<ApiKeyItem>(pointers.map(({ digest }) => scope.keys.apiKey(digest)));
  return items.filter((key) => key !== undefined).filter((key) => key.role !== role || key.user_email !== email);
}

/** Keys per transaction, two items each. The last transaction (up to 100 writes) also deletes other credentials. */
const KEYS_REMOVED_AT_ONCE = 35;

/**
 * Removes a user with keys, passkeys, identities and sessions, or an invitation. When it returns, none of them is
 * valid. Throws NOT_FOUND, and CONFLICT for the last admin.
 */
export function removeUser(scope: MutationContext, id: string): Promise<void> {
  const { ports, keys, tenant } = scope;
  const auditWrites = auditWriter(scope, 'remove', auditedUser);
  return changeTeam(scope, async (users, teamWrite) => {
    let user = users.find((one) => one.id === id);
    if (!user) throw notFound(`User ${id}`);
    assertNotLastAdmin(users, user);

    // Sessions are rejected as soon as their user is gone; this deletes their items.
    await deleteAll(ports, await sessionKeysOf(scope, id));
    const pointers = await keyPointersOf(scope, id);
    // After a failure between two transactions, the user still exists, with fewer keys, and can be removed again.
    while (pointers.length > KEYS_REMOVED_AT_ONCE) {
      const some = pointers.splice(0, KEYS_REMOVED_AT_ONCE);
      const fewer: UserItem = { ...user, v: ports.ids.token(), keys: pointers.length };
      const outcome = await commit(ports, [{ put: fewer, if: { version: user.v } }, ...some.flatMap(deletes)]);
      if (!outcome.ok) return RETRY;
      user = fewer;
    }
    const writes: Write[] = [
      teamWrite,
      // Adding a key or a passkey writes the user, so this condition fails if one was added after the read.
      { delete: keys.user(tenant, id), if: { version: user.v } },
      ...pointers.flatMap(deletes),
      ...credentialKeys(keys, user).map((key) => ({ delete: key })),
      ...auditWrites(user, undefined),
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
