import * as z from 'zod';
import { IdOf } from '#lib/platform/http/members.ts';
import { ACCOUNT_CLASSES } from '#lib/platform/sharing/rates.ts';
import { type AccountItem, AccountRecord, accountRecord, Role, type UserItem } from './account.ts';
import type { Context } from './context.ts';
import { userRemoved } from './issue-key.ts';
import { ratesOf } from './rate-gate.ts';
import { currentSession } from './sessions/list-sessions.ts';
import { SessionRecord } from './sessions/session.ts';

/** So many requests a second, and at most so many at once. */
const RateRecord = z.object({
  per_second: z.int().describe('Requests a second.'),
  burst: z.int().describe('Requests at once.'),
});

/** The account of a caller, and its user: `email` and `name` are the account's, those of the person are in `user`. */
export const Me = AccountRecord.extend({
  role: Role,
  is_read_only: z.boolean().describe('Whether this caller may only read.'),
  rate_limits: z
    .record(z.enum(ACCOUNT_CLASSES), RateRecord)
    .nullable()
    .describe('Requests a second and at once, by class; null where nothing is limited.'),
  user: z
    .object({
      id: IdOf('the user'),
      email: z.string().describe('Of the user.'),
      name: z.string().describe('Of the user.'),
    })
    .describe('Whose key or session it is.'),
  session: SessionRecord.nullable().describe('The session by which this call was made; null where it was by a key.'),
}).meta({ id: 'Me' });

/** Throws UNAUTHORIZED for a user who was removed meanwhile. */
export async function whoCalls(context: Context): Promise<z.output<typeof Me>> {
  const { ports, keys, tenant, caller } = context;
  const [account, user] = await ports.table.getMany<[AccountItem, UserItem]>([
    keys.account(tenant),
    keys.user(tenant, caller.user_id),
  ]);
  if (!account || !user) throw userRemoved();
  const { id, email, name } = user;
  return {
    ...accountRecord(account),
    role: caller.role,
    is_read_only: caller.is_read_only,
    rate_limits: ratesOf(context),
    user: { id, email, name },
    session: await currentSession(context),
  };
}
