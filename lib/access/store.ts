import { notFound } from '#lib/platform/errors.ts';
import type { Table } from '#lib/platform/ports.ts';
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
 * | the caller (every request)     | get apiKey(digest)                                 |
 * | an account, a user             | get account(tenant), user(tenant, id)              |
 * | keys of a tenant               | query apiKeys(tenant), then get many apiKey(digest) |
 * | a key by its id                | get apiKeyPointer(tenant, id)                      |
 * | users of a tenant              | query users(tenant)                                |
 * | the invited user, by a token   | get invitation(digest), then get user(tenant, id)  |
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
  let after: string | undefined;
  do {
    const page = await ports.table.query({ partition: keys.accounts, ...(after !== undefined && { after }) });
    const items = await ports.table.getMany<AccountItem>(page.items.map((pointer) => keys.account(pointer.sk)));
    accounts.push(...items.filter((item) => item !== undefined));
    after = page.next;
  } while (after !== undefined);
  return accounts;
}

/** Everybody of an account, also those invited, oldest first. */
export async function allUsers({ ports, keys, tenant }: Scope): Promise<UserItem[]> {
  const users: UserItem[] = [];
  let after: string | undefined;
  do {
    const page = await ports.table.query<UserItem>({
      partition: keys.users(tenant),
      ...(after !== undefined && { after }),
    });
    users.push(...page.items);
    after = page.next;
  } while (after !== undefined);
  return users;
}

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
  const pointers: ApiKeyPointer[] = [];
  let after: string | undefined;
  do {
    const page = await ports.table.query<ApiKeyPointer>({
      partition: keys.apiKeys(tenant),
      ...(after !== undefined && { after }),
    });
    pointers.push(...page.items.filter(({ user_id }) => user_id === user));
    after = page.next;
  } while (after !== undefined);
  return pointers;
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
