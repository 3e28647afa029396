import { AppError } from '#lib/platform/errors.ts';
import type { Write } from '#lib/platform/ports.ts';
import { type AccountEmailItem, foldedEmail } from './account.ts';
import { digestOf } from './api-key.ts';
import type { Scope } from './context.ts';

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
