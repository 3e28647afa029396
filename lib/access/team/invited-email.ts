import { foldedEmail, isInvited, type UserItem } from '#lib/access/account.ts';
import { digestOf } from '#lib/access/api-key.ts';
import type { Env } from '#lib/env.ts';
import type { Keys } from '#lib/keys.ts';
import type { Item, Key } from '#lib/platform/ports.ts';
import { allOf } from '#lib/platform/table/pages.ts';

/** Leads from an e-mail address to a user who was invited by it; only the user item says whether that still holds. */
type InvitedEmailItem = Item & { tenant_id: string; user_id: string };

/** Where that of an invited user stands. It goes with the invitation. */
export const invitedEmailKey = (keys: Keys, { tenant_id, id, email }: UserItem): Key =>
  keys.invitedEmail(digestOf(foldedEmail(email)), tenant_id, id);

/** That of an invited user, to be written with the invitation. @param expires_at epoch seconds, as of the invitation */
export const invitedEmailItem = (keys: Keys, user: UserItem, expires_at: number): InvitedEmailItem => ({
  ...invitedEmailKey(keys, user),
  tenant_id: user.tenant_id,
  user_id: user.id,
  expires_at,
});

/** Everybody, of all accounts, whose invitation to this e-mail address is pending. */
export async function invitedBy({ ports, keys }: Env<'table' | 'clock'>, email: string): Promise<UserItem[]> {
  const partition = keys.invitedEmails(digestOf(foldedEmail(email)));
  const pointers = await allOf<InvitedEmailItem>(ports.table, { partition });
  const users = await ports.table.getMany<UserItem>(pointers.map((one) => keys.user(one.tenant_id, one.user_id)));
  return users
    .filter((user) => user !== undefined)
    .filter((user) => isPending(user, ports.clock.now()) && foldedEmail(user.email) === foldedEmail(email));
}

const isPending = (user: UserItem, now: number): boolean => isInvited(user) && user.invitation!.valid_until > now;
