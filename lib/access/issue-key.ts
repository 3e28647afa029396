import { AppError } from '#lib/platform/errors.ts';
import { oneAtATime } from '#lib/platform/table/lock.ts';
import { AGAIN, commit, untilDone } from '#lib/platform/table/retry.ts';
import { accountDisabled, isDisabled, type UserItem } from './account.ts';
import { drawKey, type IssuedKey, keyItemsOf, keyRecord, type NewKey } from './api-key.ts';
import type { Scope } from './context.ts';
import { firstAdmin, requireAccount } from './store.ts';

/**
 * A new key of a user. Never made for a user that was removed or an account that was disabled meanwhile: both are
 * held to the versions read here. Throws UNAUTHORIZED for a removed user, ACCOUNT_DISABLED, LIMIT_EXCEEDED.
 */
export function issueKey(scope: Scope, userId: string, input: NewKey): Promise<IssuedKey> {
  const { ports, keys, tenant } = scope;
  const draw = drawKey(ports.ids);
  const attempt = async () => {
    const account = await requireAccount(scope);
    if (isDisabled(account)) throw accountDisabled();
    const user = await ports.table.get<UserItem>(keys.user(tenant, userId));
    if (!user) throw userRemoved();
    if (user.keys >= account.key_limit_per_user) throw tooManyKeys(account.key_limit_per_user);
    const counted: UserItem = { ...user, v: ports.ids.token(), keys: user.keys + 1 };
    const { item, pointer } = keyItemsOf(draw, ports.clock.now(), keys, account, user, input);
    const outcome = await commit(ports, [
      { put: item, if: 'absent' },
      { put: pointer, if: 'absent' },
      { check: keys.account(tenant), if: { version: account.v } },
      // Written, so that a removal of the user on its version has seen every key.
      { put: counted, if: { version: user.v } },
    ]);
    return outcome.ok ? { ...keyRecord(item), key: draw.raw } : AGAIN;
  };
  // Under the lock of team changes, so that a user cannot evade removal by making keys without end.
  return oneAtATime(ports.table, keys.users(tenant), () => untilDone(ports, attempt));
}

const tooManyKeys = (limit: number): AppError =>
  new AppError(
    'LIMIT_EXCEEDED',
    `A user may have ${limit} API keys (key_limit_per_user), and this one has as many. Delete one that is not used: ` +
      'last_used_at says which.',
  );

/** The user was removed while a call of theirs was under way. */
export const userRemoved = (): AppError => new AppError('UNAUTHORIZED', 'The user of this key was removed.');

/** A replacement key for the oldest admin of an account, for an operator whose tenant has lost theirs. */
export async function issueAdminKey(scope: Scope, label: string): Promise<IssuedKey> {
  await requireAccount(scope);
  const admin = await firstAdmin(scope);
  return issueKey(scope, admin.id, { label, is_read_only: false, scopes: null });
}
