import { AGAIN, commit, untilDone } from '#lib/platform/retry.ts';
import { parse } from '#lib/platform/validation.ts';
import { type AccountItem, Limits } from './account.ts';
import { type ApiKeyItem, copyOf } from './api-key.ts';
import type { Scope } from './context.ts';
import { keyItems, requireAccount } from './store.ts';

/** Key items rewritten together; a transaction has at most 100 writes. */
const CHUNK = 50;

/** Sets the limits that are given, keeps the others. What exists beyond a lowered limit stays. */
export function setLimits(scope: Scope, limits: { [K in keyof Limits]?: Limits[K] | undefined }): Promise<AccountItem> {
  const given = Object.fromEntries(Object.entries(limits).filter(([, value]) => value !== undefined));
  const wanted = parse(Limits.partial(), given) as Partial<Limits>;
  return change(scope, (account) => ({ ...account, ...wanted }));
}

/** Stops an account: its keys are answered ACCOUNT_DISABLED, its checks and actions rest. Repeatable. */
export const disableAccount = (scope: Scope): Promise<AccountItem> =>
  change(scope, (account) => ({ ...account, disabled: true }));

/** Lets an account go on. Repeatable. */
export const enableAccount = (scope: Scope): Promise<AccountItem> =>
  change(scope, (account) => ({ ...account, disabled: false, enabled_at: scope.ports.clock.now() }));

async function change(scope: Scope, edit: (account: AccountItem) => AccountItem): Promise<AccountItem> {
  const changed = await untilDone(scope.ports, async () => {
    const before = await requireAccount(scope);
    const after = { ...edit(before), v: scope.ports.ids.token() };
    const outcome = await commit(scope.ports, [{ put: after, if: { version: before.v } }]);
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

async function keysBehind(scope: Scope, account: AccountItem): Promise<ApiKeyItem[]> {
  const { account_disabled, retention_days } = copyOf(account);
  let after: string | undefined;
  do {
    const { found, next } = await keyItems(scope, { after });
    const behind = found
      .map(({ value }) => value)
      .filter((key) => key.account_disabled !== account_disabled || key.retention_days !== retention_days);
    if (behind.length > 0) return behind.slice(0, CHUNK);
    after = next;
  } while (after !== undefined);
  return [];
}
