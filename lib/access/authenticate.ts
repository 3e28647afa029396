import type { Env, Ports } from '#lib/env.ts';
import { AppError } from '#lib/platform/errors.ts';
import type { Gates, Sender } from '#lib/platform/http/router.ts';
import { pick } from '#lib/platform/plain-data.ts';
import { HOUR_MS, iso } from '#lib/platform/time.ts';
import { accountDisabled, DEFAULT_LIMITS } from './account.ts';
import { type ApiKeyItem, CopiedToKeys, digestOf, isExpired, keyExpired } from './api-key.ts';
import type { Context, Origin } from './context.ts';
import { chargeCost, spend, spendForAddress, withReadPermit } from './rate-gate.ts';
import { assertApiAllowed, UNRESTRICTED } from './restriction.ts';

const KEY = /^fw_[0-9A-Za-z]{43}$/;

type KeyRequest = Pick<Sender, 'headers' | 'address' | 'request_id'>;

const unauthorized = (message: string): AppError =>
  new AppError('UNAUTHORIZED', message, { headers: { 'www-authenticate': 'Bearer' } });

/** Authenticates by Bearer key, with one strong read by digest. Throws UNAUTHORIZED, ACCOUNT_DISABLED. */
export async function authenticate<E extends Env>(env: E, sender: KeyRequest): Promise<Context & E> {
  const { headers } = sender;
  const raw = /^Bearer +(\S+) *$/i.exec(headers.authorization ?? '')?.[1];
  if (raw === undefined) throw unauthorized('Send the header "Authorization: Bearer <API key>".');
  const key = await requireRawKey(env, raw);
  const caller = callerOf(env.ports, key, sender.address);
  return { ...env, tenant: key.tenant_id, caller, origin: originOf(sender) };
}

/** Finds the item of a raw key. Throws UNAUTHORIZED. */
export async function requireRawKey({ ports, keys }: Env, raw: string): Promise<ApiKeyItem> {
  const key = KEY.test(raw) ? await ports.table.get<ApiKeyItem>(keys.apiKey(digestOf(raw))) : undefined;
  if (!key) throw unauthorized('This API key is unknown or was deleted.');
  return key;
}

/** Returns the caller of a key and records its use. Throws UNAUTHORIZED for an expired key, ACCOUNT_DISABLED. */
export function callerOf(ports: Ports, key: ApiKeyItem, address: string): Context['caller'] {
  if (key.valid_until !== null && isExpired(key, ports.clock.now())) throw keyExpired(key.valid_until);
  if (key.account_disabled) throw accountDisabled();
  noteUse(ports, key, address);
  const { tenant_id, user_id, user_email, id: key_id, label: key_label, role, scopes, is_read_only } = key;
  const { check_ids, entity_ids, skills, valid_until } = key;
  const rights = { role, scopes, is_read_only, check_ids, entity_ids, skills, valid_until };
  const owner = { tenant_id, user_id, user_email, key_id, key_label };
  return { ...owner, ...rights, ...pick(CopiedToKeys, key) };
}

export const admit = <E extends Env>(env: E, sender: KeyRequest): Promise<Context & E> =>
  admitBy(env, sender, authenticate);

/** Authenticates a request. Throws RATE_LIMITED after many failures from one address, except for valid credentials. */
export async function admitBy<E extends Env, From extends KeyRequest>(
  env: E,
  sender: From,
  gate: (env: E, sender: From) => Promise<Context & E>,
): Promise<Context & E> {
  try {
    return await gate(env, sender);
  } catch (error) {
    if (error instanceof AppError && error.code === 'UNAUTHORIZED') spendForAddress(env.ports, sender.address, 'open');
    throw error;
  }
}

const MAX_USER_AGENT = 300;

export const originOf = ({ headers, address, request_id }: KeyRequest): Origin => ({
  via: 'api',
  request_id,
  ip: address,
  user_agent: (headers['user-agent'] ?? '').slice(0, MAX_USER_AGENT),
});

/** Records time and address of the use asynchronously, at most once an hour. Any other write of the key wins. */
function noteUse(ports: Ports, key: ApiKeyItem, address: string): void {
  const now = ports.clock.now();
  if (key.last_used_at !== null && now - Date.parse(key.last_used_at) < HOUR_MS) return;
  const last_used_from = address || key.last_used_from;
  const used: ApiKeyItem = { ...key, v: ports.ids.token(), last_used_at: iso(now), last_used_from };
  ports.table.transact([{ put: used, if: { version: key.v } }]).catch((error: unknown) => {
    ports.log.warn('last_used_at of API key not written', {
      tenant_id: key.tenant_id,
      key_id: key.id,
      error,
    });
  });
}

const ANONYMOUS: Context['caller'] = {
  tenant_id: '',
  user_id: '',
  user_email: '',
  key_id: '',
  key_label: '',
  role: 'viewer',
  scopes: null,
  is_read_only: true,
  ...UNRESTRICTED,
  valid_until: null,
  ...pick(CopiedToKeys, { ...DEFAULT_LIMITS, rate_limits: {} }),
};

/** Returns the gates of the router. An open endpoint gets a caller without a tenant. */
export const gates = <E extends Env>(env: E): Gates<Context & E> => ({
  authenticate: (sender) => admit(env, sender),
  anonymous: (sender, rate) => {
    spendForAddress(env.ports, sender.address, rate);
    return { ...env, tenant: '', caller: ANONYMOUS, origin: originOf(sender) };
  },
  spend,
  restrict: ({ caller }) => assertApiAllowed(caller),
  chargeCost,
  withReadPermit,
  log: env.ports.log,
});
