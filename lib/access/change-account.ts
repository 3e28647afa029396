import { isDeepStrictEqual } from 'node:util';
import type { Verb } from '#lib/audit/entry.ts';
import { isSame } from '#lib/audit/write.ts';
import type { Env } from '#lib/env.ts';
import { AppError } from '#lib/platform/errors.ts';
import { parse } from '#lib/platform/http/validation.ts';
import { namesOf } from '#lib/platform/plain-data.ts';
import type { Write } from '#lib/platform/ports.ts';
import type { AccountClass, Rate } from '#lib/platform/sharing/rates.ts';
import { pagesOf } from '#lib/platform/table/pages.ts';
import { commit, RETRY, retryOnConflict } from '#lib/platform/table/retry.ts';
import { iso } from '#lib/platform/time.ts';
import {
  type AccountEmailItem,
  type AccountItem,
  type AccountPatch,
  auditedAccount,
  DEFAULT_LIMITS,
  foldedEmail,
  Limits,
  NewAccount,
  NO_CREDENTIALS,
  type UserItem,
} from './account.ts';
import {
  type ApiKeyItem,
  type ApiKeyPointer,
  copyOf,
  digestOf,
  type GeneratedApiKey,
  generateApiKey,
  type IssuedKey,
  keyItemsOf,
  keyRecord,
} from './api-key.ts';
import { auditWriter } from './audit-writer.ts';
import type { MutationContext, TenantScope } from './context.ts';
import { fullKey } from './new-key.ts';
import { requireAccount } from './store.ts';

/**
 * Returns the writes that move an account to another e-mail address. `from` undefined: new account. `to` undefined:
 * deleted account. `sharedEmail`: accept an address that another account has, otherwise a CONFLICT.
 */
export async function addressWrites(
  scope: TenantScope,
  { from, to, sharedEmail = false }: { from?: string; to?: string; sharedEmail?: boolean },
): Promise<Write[]> {
  if (from !== undefined && to !== undefined && foldedEmail(from) === foldedEmail(to)) return [];
  return [
    ...(from === undefined ? [] : await emailWrites(scope, from, (others) => others)),
    ...(to === undefined
      ? []
      : await emailWrites(scope, to, (others) => withTenant(others, scope.tenant, to, sharedEmail))),
  ];
}

function withTenant(others: string[], tenant: string, email: string, sharedEmail: boolean): string[] {
  if (others.length > 0 && !sharedEmail) {
    const message = `Account ${others.join(', ')} already has the e-mail address ${email}. Use --shared-email to allow it.`;
    throw new AppError('CONFLICT', message);
  }
  return [...others, tenant];
}

async function emailWrites(
  { ports, keys, tenant }: TenantScope,
  email: string,
  next: (others: string[]) => string[],
): Promise<Write[]> {
  const key = keys.accountEmail(digestOf(foldedEmail(email)));
  const before = await ports.table.get<AccountEmailItem>(key);
  const accounts = next((before?.accounts ?? []).filter((id) => id !== tenant));
  if (accounts.length === 0) return before ? [{ delete: key, if: { version: before.v } }] : [];
  const put: AccountEmailItem = { ...key, v: ports.ids.token(), accounts };
  return [{ put, if: before ? { version: before.v } : 'absent' }];
}

/** Maximum number of keys that one transaction updates. */
const CHUNK = 50;

/** Sets the given limits; items beyond a lowered limit stay. @param rates null resets a class to RATE_LIMITS */
export function setLimits(
  scope: MutationContext,
  limits: { [K in keyof Limits]?: Limits[K] | undefined },
  rates: Partial<Record<AccountClass, Rate | null>> = {},
): Promise<AccountItem> {
  const defined = Object.fromEntries(Object.entries(limits).filter(([, value]) => value !== undefined));
  const wanted = parse(Limits.partial(), defined) as Partial<Limits>;
  return changeAccount(scope, 'update', (account) => {
    const own = Object.entries({ ...account.rate_limits, ...rates }).filter(([, rate]) => rate !== null);
    return { ...account, ...wanted, rate_limits: Object.fromEntries(own) };
  });
}

/** Changes name and e-mail address, if given. @param sharedEmail as in `addressWrites` */
export const changeNameAndEmail = (
  scope: MutationContext,
  { name, email }: AccountPatch,
  sharedEmail: boolean,
): Promise<AccountItem> =>
  changeAccount(
    scope,
    'update',
    (account) => ({ ...account, name: name ?? account.name, email: email ?? account.email }),
    (before, after) => addressWrites(scope, { from: before.email, to: after.email, sharedEmail }),
  );

/** Disables an account: its requests fail with ACCOUNT_DISABLED, its checks and actions stop. Idempotent. */
export const disableAccount = (scope: MutationContext): Promise<AccountItem> =>
  changeAccount(scope, 'disable', (account) => ({ ...account, disabled: true }));

/** Enables an account. Idempotent. Throws CONFLICT if it was deleted. */
export const enableAccount = (scope: MutationContext): Promise<AccountItem> =>
  changeAccount(scope, 'enable', (account) => {
    if (account.deleted_at) throw new AppError('CONFLICT', `Account ${account.id} was deleted and cannot be restored.`);
    return { ...account, disabled: false, enabled_at: scope.ports.clock.now() };
  });

/**
 * Changes an account, then the copies on its keys. Only this function changes stored accounts. Throws NOT_FOUND.
 * @param moreWrites returns further writes of the same transaction
 */
export async function changeAccount(
  scope: MutationContext,
  verb: Verb,
  edit: (account: AccountItem) => AccountItem,
  moreWrites: (before: AccountItem, after: AccountItem) => Write[] | Promise<Write[]> = () => [],
): Promise<AccountItem> {
  const v = scope.ports.ids.token();
  const auditWrites = auditWriter(scope, verb, auditedAccount);
  const changed = await retryOnConflict(scope.ports, async () => {
    const before = await requireAccount(scope);
    // An earlier attempt succeeded, but its response was lost.
    if (before.v === v) return before;
    const after = { ...edit(before), v };
    if (isSame(auditedAccount, before, after)) return before;
    const more = await moreWrites(before, after);
    const own: Write = { put: after, if: { version: before.v } };
    const outcome = await commit(scope.ports, [own, ...more, ...auditWrites(before, after)]);
    return outcome.ok ? after : RETRY;
  });
  while (!(await copyToKeys(scope)));
  return changed;
}

/** Updates up to 50 keys with outdated copies of the account. Returns true if all are current. Safe concurrently. */
function copyToKeys(scope: TenantScope): Promise<boolean> {
  const { ports, keys, tenant } = scope;
  return retryOnConflict(ports, async () => {
    const account = await requireAccount(scope);
    const outdated = await outdatedKeys(scope, account);
    if (outdated.length === 0) return true;
    const outcome = await commit(ports, [
      { check: keys.account(tenant), if: { version: account.v } },
      ...outdated.map((key) => ({
        put: { ...key, ...copyOf(account), v: ports.ids.token() },
        if: { version: key.v },
      })),
    ]);
    return outcome.ok ? false : RETRY;
  });
}

async function outdatedKeys({ ports, keys, tenant }: TenantScope, account: AccountItem): Promise<ApiKeyItem[]> {
  const copy = copyOf(account);
  const names = namesOf(copy);
  const differs = (key: ApiKeyItem) => names.some((name) => !isDeepStrictEqual(key[name], copy[name]));
  for await (const pointers of pagesOf<ApiKeyPointer>(ports.table, { partition: keys.apiKeys(tenant) })) {
    const items = await ports.table.getMany<ApiKeyItem>(pointers.map(({ digest }) => keys.apiKey(digest)));
    const outdated = items.filter((item) => item !== undefined).filter(differs);
    if (outdated.length > 0) return outdated.slice(0, CHUNK);
  }
  return [];
}

/**
 * Creates an account with its first admin and a key of that admin. `key.key` is the raw key, returned only here. By
 * default, the first account has the egress `any`, other accounts `public`. Throws VALIDATION_ERROR, and CONFLICT for
 * an e-mail address of another account. `draw`: a generated key; `sharedEmail`: as in `addressWrites`.
 */
export async function createAccount(
  { ports, keys }: Env<'table' | 'clock' | 'ids' | 'settings'>,
  input: NewAccount,
  { draw = generateApiKey(ports.ids), sharedEmail = false }: { draw?: GeneratedApiKey; sharedEmail?: boolean } = {},
): Promise<{ account: AccountItem; user: UserItem; key: IssuedKey }> {
  const { email, name, ...limits } = parse(NewAccount, input);
  const { items: others } = await ports.table.query({ partition: keys.accounts, limit: 1 });
  const tenant = ports.ids.id('acc');
  const created_at = iso(ports.clock.now());
  const account: AccountItem = {
    ...keys.account(tenant),
    v: ports.ids.token(),
    id: tenant,
    email,
    name,
    ...DEFAULT_LIMITS,
    egress: others.length === 0 ? 'any' : DEFAULT_LIMITS.egress,
    ...Object.fromEntries(Object.entries(limits).filter(([, limit]) => limit !== undefined)),
    rate_limits: {},
    disabled: false,
    link_key: ports.ids.secret(),
    created_at,
  };
  const userId = ports.ids.id('usr');
  const user: UserItem = {
    ...keys.user(tenant, userId),
    v: ports.ids.token(),
    tenant_id: tenant,
    id: userId,
    email,
    name,
    role: 'admin',
    keys: 1,
    ...NO_CREDENTIALS,
    created_at,
  };
  const now = ports.clock.now();
  const key = keyItemsOf(draw, now, keys, account, user, fullKey('First admin key'));

  const items = [account, keys.accountPointer(tenant), user, key.item, key.pointer];
  const writes = items.map((put): Write => ({ put, if: 'absent' }));
  const auditWrites = auditWriter({ ports, keys, tenant, origin: 'operator' }, 'create', auditedAccount);
  await retryOnConflict(ports, async () => {
    const address = await addressWrites({ ports, keys, tenant }, { to: email, sharedEmail });
    return (await commit(ports, [...writes, ...address, ...auditWrites(undefined, account)])).ok ? true : RETRY;
  });
  return { account, user, key: { ...keyRecord(key.item, now), key: draw.raw } };
}
