import { route } from '#lib/platform/http/route.ts';
import { AccountPatch, AccountRecord, accountRecord } from './account.ts';
import { changeNameAndEmail } from './change-account.ts';
import type { Context } from './context.ts';
import { keyRoutes } from './key-routes.ts';

const endpoint = route<Context>();

const accountRoutes = [
  endpoint({
    method: 'PUT',
    path: '/v1/account',
    access: 'manage',
    summary: 'Change the name and e-mail address of the account',
    status: 200,
    body: AccountPatch,
    reply: AccountRecord,
    // The address is a contact. The response does not reveal whether another account has it too.
    run: async (context, { body }) => accountRecord(await changeNameAndEmail(context, body, true)),
  }),
];

export const accessRoutes = [...accountRoutes, ...keyRoutes];
