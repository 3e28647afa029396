import type { UserItem } from '#lib/access/account.ts';
import { auditing } from '#lib/access/auditing.ts';
import type { Context } from '#lib/access/context.ts';
import {
  auditedIdentity,
  type IdentityItem,
  type IdentityRecord,
  identityRecord,
} from '#lib/identity/oidc/identities.ts';
import { notFound } from '#lib/platform/errors.ts';
import { AGAIN, commit, untilDone } from '#lib/platform/table/retry.ts';

/** The caller's own identities, oldest first. */
export async function ownIdentities({ ports, keys, tenant, caller }: Context): Promise<IdentityRecord[]> {
  const user = await ports.table.get<UserItem>(keys.user(tenant, caller.user_id));
  const places = (user?.identities ?? []).map(({ digest }) => keys.identity(digest, tenant, caller.user_id));
  const items = await ports.table.getMany<IdentityItem>(places);
  return items.filter((item) => item !== undefined).map(identityRecord);
}

/** From its return on it signs nobody in. Sessions that it began last until their own end. Throws NOT_FOUND. */
export function unlinkIdentity(context: Context, id: string): Promise<void> {
  const { ports, keys, tenant, caller } = context;
  const note = auditing(context, 'remove', auditedIdentity);
  return untilDone(ports, async () => {
    const user = await ports.table.get<UserItem>(keys.user(tenant, caller.user_id));
    const means = user?.identities.find((one) => one.id === id);
    if (!user || !means) throw notFound(`Identity ${id}`);
    const place = keys.identity(means.digest, tenant, user.id);
    const identity = await ports.table.get<IdentityItem>(place);
    const identities = user.identities.filter((one) => one !== means);
    const put: UserItem = { ...user, v: ports.ids.token(), identities };
    const outcome = await commit(ports, [
      { put, if: { version: user.v } },
      { delete: place },
      ...(identity ? note(identity, undefined) : []),
    ]);
    return outcome.ok ? undefined : AGAIN;
  });
}
