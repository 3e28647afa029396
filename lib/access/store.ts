import { notFound } from '#lib/platform/errors.ts';
import type { Reader } from '#lib/platform/http/paging.ts';
import type { Table } from '#lib/platform/ports.ts';
import { allOf } from '#lib/platform/table/pages.ts';
import { type AccountItem, isInvited, type UserItem } from './account.ts';
import { type ApiKeyItem, type ApiKeyPointer, isForgotten, type KeyRecord, keyRecord } from './api-key.ts';
import type { TenantScope } from './context.ts';

/** Finds the account of a scope. Throws NOT_FOUND. */
export async function requireAccount({ ports, keys, tenant }: TenantScope): Promise<AccountItem> {
  const account = await ports.table.get<AccountItem>(keys.account(tenant));
  if (!account) throw notFound(`Account ${tenant}`);
  return account;
}

/** Returns all accounts, oldest first. Only for the operator. */
export async function allAccounts(ports: { table: Table }, keys: TenantScope['keys']): Promise<AccountItem[]> {
  const pointers = await allOf(ports.table, { partition: keys.accounts });
  const items = await ports.table.getMany<AccountItem>(pointers.map(({ sk }) => keys.account(sk)));
  return items.filter((item) => item !== undefined);
}

/** Returns all users of an account, including invited ones, oldest first. */
export const allUsers = ({ ports, keys, tenant }: TenantScope): Promise<UserItem[]> =>
  allOf(ports.table, { partition: keys.users(tenant) });

/** Finds the oldest admin of an account. Throws NOT_FOUND. */
export async function firstAdmin(scope: TenantScope): Promise<UserItem> {
  const admin = (await allUsers(scope)).find((user) => user.role === 'admin' && !isInvited(user));
  if (!admin) throw notFound(`An admin of account ${scope.tenant}`);
  return admin;
}

/** Returns all keys of a user, including expired ones. */
export async function keyPointersOf({ ports, keys, tenant }: TenantScope, user: string): Promise<ApiKeyPointer[]> {
  const pointers = await allOf<ApiKeyPointer>(ports.table, { partition: keys.apiKeys(tenant) });
  return pointers.filter(({ user_id }) => user_id === user);
}

/** Lists the keys of a tenant, or of one of its users, in creation order. */
export const keyList =
  ({ ports, keys, tenant }: TenantScope, user?: string): Reader<KeyRecord> =>
  async (after, limit) => {
    const { items, next } = await ports.table.query<ApiKeyPointer>({ partition: keys.apiKeys(tenant), limit, after });
    const pointers = items.filter((pointer) => user === undefined || pointer.user_id === user);
    const found = await ports.table.getMany<ApiKeyItem>(pointers.map(({ digest }) => keys.apiKey(digest)));
    const now = ports.clock.now();
    const listed = found.flatMap((key, i) =>
      key && !isForgotten(key, now) ? [{ at: pointers[i]!.sk, value: keyRecord(key, now) }] : [],
    );
    return { found: listed, next };
  };
