import { notFound } from '#lib/platform/errors.ts';
import type { Table } from '#lib/platform/ports.ts';
import { allOf, pagesOf } from '#lib/platform/table/pages.ts';
import type { Reader } from '#lib/platform/table/paging.ts';
import type { AccountItem, UserItem } from './account.ts';
import { type ApiKeyItem, type ApiKeyPointer, type KeyRecord, keyRecord } from './api-key.ts';
import type { Scope } from './context.ts';
import { type TeamMember, teamMember } from './team/team.ts';

/**
 * Items of access and how they are read, all strongly:
 *
 * | pattern                        | request                                            |
 * |--------------------------------|----------------------------------------------------|
 * | who calls (every request)      | get apiKey(digest)                                 |
 * | an account, a user             | get account(tenant), user(tenant, id)              |
 * | keys of a tenant               | query apiKeys(tenant), then get many apiKey(digest) |
 * | a key by its id                | get apiKeyPointer(tenant, id)                      |
 * | users of a tenant              | query users(tenant)                                |
 * | who is invited, by a token     | get invitation(digest), then get user(tenant, id)  |
 * | all accounts (operator)        | query accounts, then get many account(tenant)      |
 */

/** The account of a scope. Throws NOT_FOUND. */
export async function requireAccount({ ports, keys, tenant }: Scope): Promise<AccountItem> {
  const account = await ports.table.get<AccountItem>(keys.account(tenant));
  if (!account) throw notFound(`Account ${tenant}`);
  return account;
}

/** Every account, oldest first. For the operator alone. */
export async function allAccounts(ports: { table: Table }, keys: Scope['keys']): Promise<AccountItem[]> {
  const accounts: AccountItem[] = [];
  for await (const pointers of pagesOf(ports.table, { partition: keys.accounts })) {
    const items = await ports.table.getMany<AccountItem>(pointers.map((pointer) => keys.account(pointer.sk)));
    accounts.push(...items.filter((item) => item !== undefined));
  }
  return accounts;
}

/** Everybody of an account, also those invited, oldest first. */
export const allUsers = ({ ports, keys, tenant }: Scope): Promise<UserItem[]> =>
  allOf(ports.table, { partition: keys.users(tenant) });

/** The team as the interface shows it, oldest first. */
export const userList =
  ({ ports, keys, tenant }: Scope): Reader<TeamMember> =>
  async (after, limit) => {
    const { items, next } = await ports.table.query<UserItem>({
      partition: keys.users(tenant),
      limit,
      ...(after !== undefined && { after }),
    });
    return { found: items.map((user) => ({ at: user.sk, value: teamMember(user) })), next };
  };

/** Every key of a user. */
export async function keyPointersOf({ ports, keys, tenant }: Scope, user: string): Promise<ApiKeyPointer[]> {
  const pointers = await allOf<ApiKeyPointer>(ports.table, { partition: keys.apiKeys(tenant) });
  return pointers.filter(({ user_id }) => user_id === user);
}

/** A page of key items in the order of their making, each with its position. Without `user` those of everybody. */
export async function keyItems(
  { ports, keys, tenant }: Scope,
  page: { after?: string | undefined; limit?: number; user?: string | undefined } = {},
): Promise<{ found: { at: string; value: ApiKeyItem }[]; next?: string | undefined }> {
  const { items, next } = await ports.table.query<ApiKeyPointer>({
    partition: keys.apiKeys(tenant),
    ...(page.after !== undefined && { after: page.after }),
    ...(page.limit !== undefined && { limit: page.limit }),
  });
  const pointers = items.filter(({ user_id }) => page.user === undefined || user_id === page.user);
  const values = await ports.table.getMany<ApiKeyItem>(pointers.map(({ digest }) => keys.apiKey(digest)));
  return { found: values.flatMap((value, i) => (value ? [{ at: pointers[i]!.sk, value }] : [])), next };
}

/** The keys of a tenant, or of one user of it, as a list. */
export const keyList =
  (scope: Scope, user?: string): Reader<KeyRecord> =>
  async (after, limit) => {
    const { found, next } = await keyItems(scope, { after, limit, user });
    return { found: found.map(({ at, value }) => ({ at, value: keyRecord(value) })), next };
  };
