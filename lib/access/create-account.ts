import type { Keys } from '#lib/keys.ts';
import type { Ports, Write } from '#lib/platform/ports.ts';
import { AGAIN, commit, untilDone } from '#lib/platform/retry.ts';
import { iso } from '#lib/platform/time.ts';
import { parse } from '#lib/platform/validation.ts';
import { type AccountItem, DEFAULT_LIMITS, NewAccount, type UserItem } from './account.ts';
import { type Draw, drawKey, type IssuedKey, keyItemsOf, keyRecord } from './api-key.ts';

/**
 * Makes an account with its first admin and that admin's key. `key.key` is the raw key, told here and never again.
 * Throws VALIDATION_ERROR for an impossible e-mail address, name or limit.
 * @param draw the key, when it had to be drawn before
 */
export async function createAccount(
  ports: Pick<Ports, 'table' | 'clock' | 'ids'>,
  keys: Keys,
  input: NewAccount,
  draw: Draw = drawKey(ports.ids),
): Promise<{ account: AccountItem; user: UserItem; key: IssuedKey }> {
  const { email, name, ...limits } = parse(NewAccount, input);
  const tenant = ports.ids.id('acc');
  const created_at = iso(ports.clock.now());
  const account: AccountItem = {
    ...keys.account(tenant),
    v: ports.ids.token(),
    id: tenant,
    email,
    name,
    ...DEFAULT_LIMITS,
    ...Object.fromEntries(Object.entries(limits).filter(([, limit]) => limit !== undefined)),
    disabled: false,
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
    created_at,
  };
  const key = keyItemsOf(draw, ports.clock.now(), keys, account, user, {
    label: 'First admin key',
    is_read_only: false,
  });

  const items = [account, keys.accountPointer(tenant), user, key.item, key.pointer];
  const writes = items.map((put): Write => ({ put, if: 'absent' }));
  await untilDone(ports, async () => ((await commit(ports, writes)).ok ? true : AGAIN));
  return { account, user, key: { ...keyRecord(key.item), key: draw.raw } };
}
