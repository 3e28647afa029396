import * as z from 'zod';
import { type AccountItem, AccountRecord, accountRecord, Role, type UserItem } from './account.ts';
import type { Context } from './context.ts';
import { userRemoved } from './issue-key.ts';

/** The account of a key, and who holds it: `email` and `name` are the account's, those of the person are in `user`. */
export const Me = AccountRecord.extend({
  role: Role,
  is_read_only: z.boolean(),
  user: z.object({ id: z.string(), email: z.string(), name: z.string() }).describe('Whose key it is.'),
}).meta({ id: 'Me' });

/** Throws UNAUTHORIZED for a user who was removed meanwhile. */
export async function whoCalls({ ports, keys, tenant, caller }: Context): Promise<z.output<typeof Me>> {
  const [account, present] = await ports.table.getMany([keys.account(tenant), keys.user(tenant, caller.user_id)]);
  if (!account || !present) throw userRemoved();
  const { id, email, name } = present as UserItem;
  return {
    ...accountRecord(account as AccountItem),
    role: caller.role,
    is_read_only: caller.is_read_only,
    user: { id, email, name },
  };
}
