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

/** Maximum number of identities per user, which the user item lists. */
export const MAX_IDENTITIES = 10;

export const IdentityRecord = z
  .object({
    id: IdOf('the identity'),
    issuer: z.string().describe('Identity provider.'),
    subject: z.string().describe('Unique id of the person at the provider.'),
    name: z.string().describe('E-mail address or name when it was linked; only for display.'),
    linked_at: z.iso.datetime().describe('Time when it was linked.'),
    last_used_at: z.iso.datetime().describe('Time of its last sign-in, accurate to an hour.'),
  })
  .meta({ id: 'Identity' });
export type IdentityRecord = z.infer<typeof IdentityRecord>;

/** Stored link between a person at a provider and a user of one account. About 300 bytes. */
export type IdentityItem = Item & IdentityRecord & { v: string; tenant_id: string; user_id: string };

/** Returns the digest under which the items of a person at a provider are stored. */
export const identityDigest = ({ issuer, subject }: Pick<Claims, 'issuer' | 'subject'>): string =>
  digestOf(JSON.stringify([issuer, subject]));

/** Returns the identities of a person at a provider, one per linked user, the last used first. */
export async function identitiesOf({ ports, keys }: Env<'table'>, digest: string): Promise<IdentityItem[]> {
  const items = await allOf<IdentityItem>(ports.table, { partition: keys.identities(digest) });
  return items.toSorted((a, b) => Date.parse(b.last_used_at) - Date.parse(a.last_used_at));
}

const identityRecord = (item: IdentityItem): IdentityRecord => pick(IdentityRecord, item);

export const auditedIdentity: Audited<Pick<IdentityItem, 'id' | 'name' | 'issuer' | 'subject' | 'user_id'>> = {
  type: 'identity',
  // Some providers send neither e-mail address nor name.
  target: ({ id, name, subject, user_id }) => ({ id, name: name || subject, within: [user_id] }),
  properties: ({ issuer, subject, name }) => ({ issuer, subject, name }),
};

/** Lists the identities of the caller in the order in which they were last linked. */
export async function ownIdentities({ ports, keys, tenant, caller }: Context): Promise<IdentityRecord[]> {
  const user = await ports.table.get<UserItem>(keys.user(tenant, caller.user_id));
  const identityKeys = (user?.identities ?? []).map(({ digest }) => keys.identity(digest, tenant, caller.user_id));
  const items = await ports.table.getMany<IdentityItem>(identityKeys);
  return items.filter((item) => item !== undefined).map(identityRecord);
}

/** Unlinks an identity at once; sessions started with it last until their own end. Throws NOT_FOUND. */
export function unlinkIdentity(context: Context, id: string): Promise<void> {
  const { ports, keys, tenant, caller } = context;
  const auditWrites = auditWriter(context, 'remove', auditedIdentity);
  return retryOnConflict(ports, async () => {
    const user = await ports.table.get<UserItem>(keys.user(tenant, caller.user_id));
    const credential = user?.identities.find((one) => one.id === id);
    if (!user || !credential) throw notFound(`Identity ${id}`);
    const identityKey = keys.identity(credential.digest, tenant, user.id);
    const identity = await ports.table.get<IdentityItem>(identityKey);
    const identities = user.identities.filter((one) => one !== credential);
    const put: UserItem = { ...user, v: ports.ids.token(), identities };
    const outcome = await commit(ports, [
      { put, if: { version: user.v } },
      { delete: identityKey },
      ...(identity ? auditWrites(identity, undefined) : []),
    ]);
    return outcome.ok ? undefined : RETRY;
  });
}
