import { isDeepStrictEqual } from 'node:util';
import type { Verb } from '#lib/audit/entry.ts';
import { isSame } from '#lib/audit/write.ts';
import { AppError } from '#lib/platform/errors.ts';
import { parse } from '#lib/platform/http/validation.ts';
import type { Write } from '#lib/platform/ports.ts';
import type { AccountClass, Rate } from '#lib/platform/sharing/rates.ts';
import { pagesOf } from '#lib/platform/table/pages.ts';
import { AGAIN, commit, untilDone } from '#lib/platform/table/retry.ts';
import { type AccountItem, type AccountPatch, auditedAccount, Limits } from './account.ts';
import { addressWrites } from './account-address.ts';
import { type AccountCopy, type ApiKeyItem, type ApiKeyPointer, copyOf } from './api-key.ts';
import { auditing } from './auditing.ts';
import type { Changing, Scope } from './context.ts';
import { requireAccount } from './store.ts';

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
  const names = Object.keys(copy) as (keyof AccountCopy)[];
  const differs = (key: ApiKeyItem) => names.some((name) => !isDeepStrictEqual(key[name], copy[name]));
  for await (const pointers of pagesOf<ApiKeyPointer>(ports.table, { partition: keys.apiKeys(tenant) })) {
    const items = await ports.table.getMany<ApiKeyItem>(pointers.map(({ digest }) => keys.apiKey(digest)));
    const behind = items.filter((item) => item !== undefined).filter(differs);
    if (behind.length > 0) return behind.slice(0, CHUNK);
  }
  return [];
}
