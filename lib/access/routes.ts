import * as z from 'zod';
import { ListQuery, listOf } from '#lib/platform/paging.ts';
import { ACCOUNT_CLASSES } from '#lib/platform/rates.ts';
import { route } from '#lib/platform/route.ts';
import { AccountRecord, accountRecord, Role } from './account.ts';
import { IssuedKey, KeyRecord, NewKey } from './api-key.ts';
import type { Context } from './context.ts';
import { deleteKey, requireKey } from './delete-key.ts';
import { issueKey } from './issue-key.ts';
import { ratesOf } from './rate-gate.ts';
import { keyList, requireAccount } from './store.ts';
import { teamRows } from './team-routes.ts';

const row = route<Context>();

/** So many requests a second, and at most so many at once. */
const RateRecord = z.object({ per_second: z.int(), burst: z.int() });

const accountRows = [
  row({
    method: 'GET',
    path: '/v1/me',
    access: 'read',
    summary: 'The account of this key, its plan limits, and what the key may do',
    status: 200,
    reply: AccountRecord.extend({
      role: Role,
      is_read_only: z.boolean(),
      /** Null where nothing is limited. */
      rate_limits: z.record(z.enum(ACCOUNT_CLASSES), RateRecord).nullable(),
    }).meta({ id: 'Account' }),
    run: async (context) => ({
      ...accountRecord(await requireAccount(context)),
      role: context.caller.role,
      is_read_only: context.caller.is_read_only,
      rate_limits: ratesOf(context),
    }),
  }),
  row({
    method: 'GET',
    path: '/v1/auth/keys',
    access: 'write',
    summary: "API keys: one's own, or all for an admin",
    status: 200,
    query: ListQuery,
    reply: z.array(KeyRecord),
    run: (context, call) => {
      const user = context.caller.role === 'admin' ? undefined : context.caller.user_id;
      return listOf(`${context.tenant} keys ${user}`, call, keyList(context, user));
    },
  }),
  row({
    method: 'POST',
    path: '/v1/auth/keys',
    access: 'write',
    summary: 'Make an API key; the answer alone holds the raw key',
    status: 201,
    body: NewKey,
    reply: IssuedKey,
    errors: ['LIMIT_EXCEEDED'],
    run: (context, { body }) => issueKey(context, context.caller.user_id, body),
  }),
  row({
    method: 'DELETE',
    path: '/v1/auth/keys/{id}',
    access: 'write',
    summary: 'Delete an API key; it is refused from then on',
    status: 204,
    load: (context, { id }) => requireKey(context, id),
    run: (context, { loaded }) => deleteKey(context, loaded),
  }),
];

export const accessRows = [...accountRows, ...teamRows];
