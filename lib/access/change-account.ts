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
import { AGAIN, commit, untilDone } from '#lib/platform/table/retry.ts';
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
  NO_SIGN_IN,
  type UserItem,
} from './account.ts';
import {
  type ApiKeyItem,
  type ApiKeyPointer,
  copyOf,
  type Draw,
  digestOf,
  drawKey,
  type IssuedKey,
  keyItemsOf,
  keyRecord,
} from './api-key.ts';
import { auditing } from './auditing.ts';
import type { Changing, Scope } from './context.ts';
import { fullKey } from './new-key.ts';
import { requireAccount } from './store.ts';

/**
 * The writes by which an account leaves the accounts of one e-mail address for those of another, to be written with the
 * account itself. None where it stays.
 * @param move `again`: also to an address that another account has; without, that is a CONFLICT
 */
export async function addressWrites(
  scope: Scope,
  { from, to, again = false }: { from?: string; to?: string; again?: boolean },
): Promise<Write[]> {
  if (from !== undefined && to !== undefined && foldedEmail(from) === foldedEmail(to)) return [];
  return [
    ...(from === undefined ? [] : await write(scope, from, (others) => others)),
    ...(to === undefined ? [] : await write(scope, to, (others) => join(others, scope.tenant, to, again))),
  ];
}

function join(others: string[], tenant: string, email: string, again: boolean): string[] {
  if (others.length > 0 && !again) {
    const message = `Account ${others.join(', ')} has the e-mail address ${email} already. --again takes it all the same.`;
    throw new AppError('CONFLICT', message);
  }
  return [...others, tenant];
}

/** @param next the accounts of the address from those that it has beside this one */
async function write(
  { ports, keys, tenant }: Scope,
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

/** Key items rewritten together; a transaction has at most 100 writes. */
const CHUNK = 50;

/**
 * Sets the limits that are given, keeps the others. What exists beyond a lowered limit stays.
 * @param rates by class; null gives a class back to the setting RATE_LIMITS
 */
export function setLimits(
  scope: Changing,
  limits: { [K in keyof Limits]?: Limits[K] | undefined },
  rates: Partial<Record<AccountClass, Rate | null>> = {},
): Promise<AccountItem> {
  const given = Object.fromEntries(Object.entries(limits).filter(([, value]) => value !== undefined));
  const wanted = parse(Limits.partial(), given) as Partial<Limits>;
  return changeAccount(scope, 'update', (account) => {
    const own = Object.entries({ ...account.rate_limits, ...rates }).filter(([, rate]) => rate !== null);
    return { ...account, ...wanted, rate_limits: Object.fromEntries(own) };
  });
}

/**
 * Changes name and e-mail address, what is given of them.
 * @param again also to the address of another account; without, that is a CONFLICT
 */
export const renameAccount = (scope: Changing, { name, email }: AccountPatch, again: boolean): Promise<AccountItem> =>
  changeAccount(
    scope,
    'update',
    (account) => ({ ...account, name: name ?? account.name, email: email ?? account.email }),
    (before, after) => addressWrites(scope, { from: before.email, to: after.email, again }),
  );

/** Stops an account: its keys are answered ACCOUNT_DISABLED, its checks and actions rest. Repeatable. */
export const disableAccount = (scope: Changing): Promise<AccountItem> =>
  changeAccount(scope, 'disable', (account) => ({ ...account, disabled: true }));

/** Lets an account go on. Repeatable. Throws CONFLICT for one that is being deleted. */
export const enableAccount = (scope: Changing): Promise<AccountItem> =>
  changeAccount(scope, 'enable', (account) => {
    if (account.deleted_at)
      throw new AppError('CONFLICT', `Account ${account.id} was deleted; nothing brings it back.`);
    return { ...account, disabled: false, enabled_at: scope.ports.clock.now() };
  });

/**
 * The one way to write an account that there is: its keys then repeat it. What changes nothing is not written. Throws
 * NOT_FOUND.
 * @param beside what else is written in the same transaction
 */
export async function changeAccount(
  scope: Changing,
  verb: Verb,
  edit: (account: AccountItem) => AccountItem,
  beside: (before: AccountItem, after: AccountItem) => Write[] | Promise<Write[]> = () => [],
): Promise<AccountItem> {
  const v = scope.ports.ids.token();
  const note = auditing(scope, verb, auditedAccount);
  const changed = await untilDone(scope.ports, async () => {
    const before = await requireAccount(scope);
    // A try before did it, whose answer was lost.
    if (before.v === v) return before;
    const after = { ...edit(before), v };
    if (isSame(auditedAccount, before, after)) return before;
    const more = await beside(before, after);
    const own: Write = { put: after, if: { version: before.v } };
    const outcome = await commit(scope.ports, [own, ...more, ...note(before, after)]);
    return outcome.ok ? after : AGAIN;
  });
  while (!(await copyToKeys(scope)));
  return changed;
}

/**
 * Copies what keys repeat of the account onto those that differ, a chunk at a time; true when none is left. It follows
 * what the account says at that moment, so that a disable and an enable at once end alike; keys made meanwhile carry
 * the account as it was when they were written, and the next look finds them.
 */
function copyToKeys(scope: Scope): Promise<boolean> {
  const { ports, keys, tenant } = scope;
  return untilDone(ports, async () => {
    const account = await requireAccount(scope);
    const behind = await keysBehind(scope, account);
    if (behind.length === 0) return true;
    const outcome = await commit(ports, [
      { check: keys.account(tenant), if: { version: account.v } },
      ...behind.map((key) => ({
        put: { ...key, ...copyOf(account), v: ports.ids.token() },
        if: { version: key.v },
      })),
    ]);
    return outcome.ok ? false : AGAIN;
  });
}

async function keysBehind({ ports, keys, tenant }: Scope, account: AccountItem): Promise<ApiKeyItem[]> {
  const copy = copyOf(account);
  const names = namesOf(copy);
  const differs = (key: ApiKeyItem) => names.some((name) => !isDeepStrictEqual(key[name], copy[name]));
  for await (const pointers of pagesOf<ApiKeyPointer>(ports.table, { partition: keys.apiKeys(tenant) })) {
    const items = await ports.table.getMany<ApiKeyItem>(pointers.map(({ digest }) => keys.apiKey(digest)));
    const behind = items.filter((item) => item !== undefined).filter(differs);
    if (behind.length > 0) return behind.slice(0, CHUNK);
  }
  return [];
}

/**
 * Makes an account with its first admin and that admin's key. `key.key` is the raw key, shown here and never again. The
 * first account may go wherever the service may; every other one to public addresses alone, unless `input` says `any`.
 * Throws VALIDATION_ERROR for an impossible e-mail address, name or limit, CONFLICT for the address of another account.
 * @param more `draw`: the key, when it had to be drawn before; `again`: also with the address of another account
 */
export async function createAccount(
  { ports, keys }: Env<'table' | 'clock' | 'ids' | 'settings'>,
  input: NewAccount,
  { draw = drawKey(ports.ids), again = false }: { draw?: Draw; again?: boolean } = {},
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
    ...NO_SIGN_IN,
    created_at,
  };
  const now = ports.clock.now();
  const key = keyItemsOf(draw, now, keys, account, user, fullKey('First admin key'));

  const items = [account, keys.accountPointer(tenant), user, key.item, key.pointer];
  const writes = items.map((put): Write => ({ put, if: 'absent' }));
  const note = auditing({ ports, keys, tenant, origin: 'operator' }, 'create', auditedAccount);
  await untilDone(ports, async () => {
    const address = await addressWrites({ ports, keys, tenant }, { to: email, again });
    return (await commit(ports, [...writes, ...address, ...note(undefined, account)])).ok ? true : AGAIN;
  });
  return { account, user, key: { ...keyRecord(key.item, now), key: draw.raw } };
}
