import type { SignInCredential, UserItem } from '#lib/access/account.ts';
import { auditWriter } from '#lib/access/audit-writer.ts';
import type { Context } from '#lib/access/context.ts';
import { userRemoved } from '#lib/access/issue-key.ts';
import { notFound } from '#lib/platform/errors.ts';
import { commit, oneAtATime, RETRY, retryOnConflict } from '#lib/platform/table/retry.ts';
import { auditedPasskey, type PasskeyItem, type PasskeyPatch, type PasskeyRecord, passkeyRecord } from './passkey.ts';

/** Finds the user of the caller. Throws UNAUTHORIZED if the user was removed meanwhile. */
export async function requireUser({ ports, keys, tenant, caller }: Context): Promise<UserItem> {
  const user = await ports.table.get<UserItem>(keys.user(tenant, caller.user_id));
  if (!user) throw userRemoved();
  return user;
}

/** Returns the passkeys of a user in the order in which they were added. */
export async function passkeysOf({ ports, keys }: Context, { passkeys }: UserItem): Promise<PasskeyItem[]> {
  const found = await ports.table.getMany<PasskeyItem>(passkeys.map(({ digest }) => keys.passkey(digest)));
  return found.filter((item) => item !== undefined);
}

/** Runs a change of passkeys when earlier changes of passkeys or team in this process have ended: fewer conflicts. */
export function changePasskeys<T>(
  context: Context,
  attempt: (user: UserItem) => Promise<T | typeof RETRY>,
): Promise<T> {
  const { ports, keys, tenant } = context;
  const read = async () => attempt(await requireUser(context));
  return oneAtATime(ports.table, keys.users(tenant), () => retryOnConflict(ports, read));
}

export async function listPasskeys(context: Context): Promise<PasskeyRecord[]> {
  return (await passkeysOf(context, await requireUser(context))).map(passkeyRecord);
}

/** Finds a passkey of the caller by its id. Throws NOT_FOUND. */
export async function requirePasskey(context: Context, id: string): Promise<SignInCredential> {
  return requireCredential(await requireUser(context), id);
}

function requireCredential({ passkeys }: UserItem, id: string): SignInCredential {
  const found = passkeys.find((one) => one.id === id);
  if (!found) throw notFound(`Passkey ${id}`);
  return found;
}

/** Renames a passkey. Throws NOT_FOUND. */
export function renamePasskey(context: Context, id: string, { name }: PasskeyPatch): Promise<PasskeyRecord> {
  const { ports, keys } = context;
  const auditWrites = auditWriter(context, 'update', auditedPasskey);
  return changePasskeys(context, async (user) => {
    const { digest } = requireCredential(user, id);
    const passkey = await ports.table.get<PasskeyItem>(keys.passkey(digest));
    if (!passkey) return RETRY;
    if (passkey.name === name) return passkeyRecord(passkey);
    const renamed: PasskeyItem = { ...passkey, v: ports.ids.token(), name };
    const passkeys = user.passkeys.map((one) => (one.id === id ? { ...one, name } : one));
    const listed: UserItem = { ...user, v: ports.ids.token(), passkeys };
    const outcome = await commit(ports, [
      { put: renamed, if: { version: passkey.v } },
      { put: listed, if: { version: user.v } },
      ...auditWrites(passkey, renamed),
    ]);
    return outcome.ok ? passkeyRecord(renamed) : RETRY;
  });
}

/** Removes a passkey. Once this returns, the passkey cannot sign in. Throws NOT_FOUND. */
export function removePasskey(context: Context, id: string): Promise<void> {
  const { ports, keys } = context;
  const auditWrites = auditWriter(context, 'remove', auditedPasskey);
  return changePasskeys(context, async (user) => {
    const { digest, name } = requireCredential(user, id);
    const passkeys = user.passkeys.filter((one) => one.id !== id);
    const listed: UserItem = { ...user, v: ports.ids.token(), passkeys };
    const outcome = await commit(ports, [
      { delete: keys.passkey(digest) },
      { put: listed, if: { version: user.v } },
      ...auditWrites({ id, name, user_id: user.id }, undefined),
    ]);
    return outcome.ok ? undefined : RETRY;
  });
}
