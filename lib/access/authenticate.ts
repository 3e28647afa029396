import type { Env } from '#lib/env.ts';
import { AppError } from '#lib/platform/errors.ts';
import type { Gates, Sender } from '#lib/platform/http/router.ts';
import type { Ports } from '#lib/platform/ports.ts';
import { iso } from '#lib/platform/time.ts';
import { accountDisabled } from './account.ts';
import { type ApiKeyItem, digestOf } from './api-key.ts';
import type { Context, Origin } from './context.ts';
import { spend, spendAt, weigh } from './rate-gate.ts';
import { inReadTurn } from './read-turns.ts';

const HOUR_MS = 3_600_000;
/** Anything else cannot be a key and is not looked up. */
const KEY = /^fw_[0-9A-Za-z]{43}$/;

const unauthorized = (message: string): AppError =>
  new AppError('UNAUTHORIZED', message, { headers: { 'www-authenticate': 'Bearer' } });

/**
 * The caller, by the Bearer key: one strong read and no more. The key is looked up by its digest, so that the time it
 * takes reveals nothing about any key. Throws UNAUTHORIZED, ACCOUNT_DISABLED.
 */
export async function authenticate({ ports, keys }: Env, sender: Sender): Promise<Context> {
  const { headers } = sender;
  const raw = /^Bearer +(\S+) *$/i.exec(headers.authorization ?? '')?.[1];
  if (raw === undefined) throw unauthorized('Send the header "Authorization: Bearer <API key>".');
  const key = KEY.test(raw) ? await ports.table.get<ApiKeyItem>(keys.apiKey(digestOf(raw))) : undefined;
  if (!key) throw unauthorized('This API key is unknown or was deleted.');
  if (key.account_disabled) throw accountDisabled();
  noteUse(ports, key);
  const { tenant_id, user_id, user_email, id: key_id, label: key_label, role, scopes, is_read_only } = key;
  const { retention_days, rollup_days, egress, rate_limits } = key;
  const rights = { role, scopes, is_read_only };
  const whose = { tenant_id, user_id, user_email, key_id, key_label };
  const caller = { ...whose, ...rights, retention_days, rollup_days, egress, rate_limits };
  return { ports, keys, tenant: tenant_id, caller, origin: originOf(sender) };
}

/**
 * The same for a request from outside. Throws RATE_LIMITED too, in place of UNAUTHORIZED, for an address that came too
 * often without a good key: a good one is never refused for what others at its address do.
 */
export async function admit(env: Env, sender: Sender): Promise<Context> {
  try {
    return await authenticate(env, sender);
  } catch (error) {
    if (error instanceof AppError && error.code === 'UNAUTHORIZED') spendAt(env.ports, sender.address, 'open');
    throw error;
  }
}

const MOST_AGENT = 300;

const originOf = ({ headers, address, request_id }: Sender): Origin => ({
  via: 'api',
  request_id,
  ip: address,
  user_agent: (headers['user-agent'] ?? '').slice(0, MOST_AGENT),
});

/** Writes `last_used_at` beside the request, at most once an hour. Another write of the key wins over it. */
function noteUse(ports: Ports, key: ApiKeyItem): void {
  const now = ports.clock.now();
  if (key.last_used_at !== null && now - Date.parse(key.last_used_at) < HOUR_MS) return;
  const used: ApiKeyItem = { ...key, v: ports.ids.token(), last_used_at: iso(now) };
  ports.table.transact([{ put: used, if: { version: key.v } }]).catch((error: unknown) => {
    ports.log.warn('last_used_at of an API key was not written', {
      tenant_id: key.tenant_id,
      key_id: key.id,
      error,
    });
  });
}

const NOBODY: Context['caller'] = {
  tenant_id: '',
  user_id: '',
  user_email: '',
  key_id: '',
  key_label: '',
  role: 'viewer',
  scopes: null,
  is_read_only: true,
  retention_days: 0,
  rollup_days: 0,
  egress: 'public',
};

/** The gates of the router. An open endpoint gets a caller of no tenant. */
export const gates = (env: Env): Gates<Context> => ({
  authenticate: (sender) => admit(env, sender),
  anonymous: (sender, rate) => {
    spendAt(env.ports, sender.address, rate);
    return { ports: env.ports, keys: env.keys, tenant: '', caller: NOBODY, origin: originOf(sender) };
  },
  spend,
  weigh,
  inReadTurn,
  log: env.ports.log,
});
