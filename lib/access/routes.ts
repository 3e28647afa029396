import * as z from 'zod';
import { route } from '#lib/platform/http/route.ts';
import { ListQuery, listOf } from '#lib/platform/table/paging.ts';
import { AccountPatch, AccountRecord, accountRecord } from './account.ts';
import { IssuedKey, KeyRecord, NewKey } from './api-key.ts';
import { renameAccount } from './change-account.ts';
import type { Context } from './context.ts';
import { deleteKey, requireKey } from './delete-key.ts';
import { issueKey } from './issue-key.ts';
import { Me, whoCalls } from './me.ts';
import { sessionRows } from './sessions/session-routes.ts';
import { keyList } from './store.ts';
import { teamRows } from './team/team-routes.ts';

const row = route<Context>();

const accountRows = [
  row({
    method: 'GET',
    path: '/v1/me',
    access: 'read',
    summary: 'The account of this key, its plan limits, whose key it is, and what it may do',
    status: 200,
    reply: Me,
    run: whoCalls,
  }),
  row({
    method: 'PUT',
    path: '/v1/account',
    access: 'manage',
    summary: 'Change name and e-mail address of the account',
    status: 200,
    body: AccountPatch,
    reply: AccountRecord,
    // The address is a contact. Whether another account has it too is not revealed here.
    run: async (context, { body }) => accountRecord(await renameAccount(context, body, true)),
  }),
  row({
    method: 'GET',
    path: '/v1/auth/keys',
    access: 'own',
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
    access: 'own',
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
    access: 'own',
    summary: 'Delete an API key; it is refused from then on',
    status: 204,
    load: (context, { id }) => requireKey(context, id),
    run: (context, { loaded }) => deleteKey(context, loaded),
  }),
];

export const accessRows = [...accountRows, ...sessionRows, ...teamRows];
