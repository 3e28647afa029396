import { isDisabled } from '#lib/access/account.ts';
import { allUsers, requireAccount } from '#lib/access/store.ts';
import type { Env } from '#lib/env.ts';
import { linkByOperator } from '#lib/identity/sign-in-link.ts';

/** Creates a sign-in link for the first account, unless it is disabled or an admin has a passkey or an identity. */
export async function firstLink(env: Env, address: string): Promise<string | undefined> {
  const { items } = await env.ports.table.query({ partition: env.keys.accounts, limit: 1 });
  const tenant = items[0]?.sk;
  if (tenant === undefined) return undefined;
  const scope = { ...env, tenant, origin: 'system' as const };
  if (isDisabled(await requireAccount(scope))) return undefined;
  const admins = (await allUsers(scope)).filter(({ role }) => role === 'admin');
  if (admins.some(({ passkeys, identities }) => passkeys.length + identities.length > 0)) return undefined;
  return (await linkByOperator(scope, address)).url;
}

/** Returns the URL of the service for a browser on this machine. Passkeys need a host name, not 127.0.0.1. */
export function browserAddress(url: string): string {
  const { port, hostname } = new URL(url);
  const isHere = ['127.0.0.1', '[::1]', '0.0.0.0', '[::]'].includes(hostname);
  return isHere ? `http://localhost${port && `:${port}`}` : url;
}
