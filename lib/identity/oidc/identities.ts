import * as z from 'zod';
import type { UserItem } from '#lib/access/account.ts';
import { digestOf } from '#lib/access/api-key.ts';
import { auditWriter } from '#lib/access/audit-writer.ts';
import type { Context } from '#lib/access/context.ts';
import type { Audited } from '#lib/audit/write.ts';
import type { Env } from '#lib/env.ts';
import { notFound } from '#lib/platform/errors.ts';
import { IdOf } from '#lib/platform/http/route.ts';
import { pick } from '#lib/platform/plain-data.ts';
import type { Item } from '#lib/platform/ports.ts';
import { allOf } from '#lib/platform/table/pages.ts';
import { commit, RETRY, retryOnConflict } from '#lib/platform/table/retry.ts';
import type { Claims } from './claims.ts';

/** A user has so many at most: the user item lists them. */
export const MAX_IDENTITIES = 10;

export const IdentityRecord = z
  .object({
    id: IdOf('the identity'),
    issuer: z.string().describe('The provider that vouches for it.'),
    subject: z.string().describe('What the provider calls the person, and nobody else ever.'),
    name: z.string().describe('The e-mail address or name that it had when it was linked; for people alone.'),
    linked_at: z.iso.datetime().describe('When it was linked.'),
    last_used_at: z.iso.datetime().describe('When it was used last to sign in, give or take an hour.'),
  })
  .meta({ id: 'Identity' });
export type IdentityRecord = z.infer<typeof IdentityRecord>;

/** A person at a provider as a user of one account. About 300 bytes. */
export type IdentityItem = Item & IdentityRecord & { v: string; tenant_id: string; user_id: string };

/** What the items of a person at a provider stand under. */
export const identityDigest = ({ issuer, subject }: Pick<Claims, 'issuer' | 'subject'>): string =>
  digestOf(JSON.stringify([issuer, subject]));

/** The users that a person at a provider is, the last used first. */
export async function identitiesOf({ ports, keys }: Env<'table'>, digest: string): Promise<IdentityItem[]> {
  const items = await allOf<IdentityItem>(ports.table, { partition: keys.identities(digest) });
  return items.toSorted((a, b) => Date.parse(b.last_used_at) - Date.parse(a.last_used_at));
}

const identityRecord = (item: IdentityItem): IdentityRecord => pick(IdentityRecord, item);

export const auditedIdentity: Audited<Pick<IdentityItem, 'id' | 'name' | 'issuer' | 'subject' | 'user_id'>> = {
  type: 'identity',
  // Some providers tell neither e-mail address nor name.
  target: ({ id, name, subject, user_id }) => ({ id, name: name || subject, within: [user_id] }),
  members: ({ issuer, subject, name }) => ({ issuer, subject, name }),
};

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
  const note = auditWriter(context, 'remove', auditedIdentity);
  return retryOnConflict(ports, async () => {
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
    return outcome.ok ? undefined : RETRY;
  });
}
