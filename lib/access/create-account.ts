import type { Env } from '#lib/env.ts';
import { parse } from '#lib/platform/http/validation.ts';
import type { Write } from '#lib/platform/ports.ts';
import { AGAIN, commit, untilDone } from '#lib/platform/table/retry.ts';
import { iso } from '#lib/platform/time.ts';
import { type AccountItem, auditedAccount, DEFAULT_LIMITS, NewAccount, NO_SIGN_IN, type UserItem } from './account.ts';
import { addressWrites } from './account-address.ts';
import { type Draw, drawKey, type IssuedKey, keyItemsOf, keyRecord } from './api-key.ts';
import { auditing } from './auditing.ts';
import { fullKey } from './new-key.ts';

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
