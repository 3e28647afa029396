import * as z from 'zod';
import type { AccountItem, UserItem } from '#lib/access/account.ts';
import { digestOf } from '#lib/access/api-key.ts';
import { callerOf, requireRawKey } from '#lib/access/authenticate.ts';
import type { Context } from '#lib/access/context.ts';
import { userRemoved } from '#lib/access/issue-key.ts';
import { mustReachApi } from '#lib/access/restriction.ts';
import { beginSession, signIn } from '#lib/identity/sessions/begin-session.ts';
import { SessionRecord } from '#lib/identity/sessions/session.ts';
import { mustBeAllowed } from '#lib/platform/http/must-be-allowed.ts';
import { route } from '#lib/platform/http/route.ts';
import { text } from '#lib/platform/text.ts';

const row = route<Context>();

const RawKey = z.object({ key: text(1, 200).describe('An API key that may read: fw_….') }).meta({ id: 'SignInByKey' });

export const keyRows = [
  row({
    method: 'POST',
    path: '/v1/sign-in/key',
    access: 'open',
    rate: 'sign-in',
    summary: 'Sign in by an API key; the session may what the key may, as long as the key is good',
    status: 201,
    body: RawKey,
    reply: SessionRecord,
    errors: ['UNAUTHORIZED', 'FORBIDDEN', 'ACCOUNT_DISABLED'],
    run: (context, { body, ...sent }) =>
      signIn(context, async () => {
        const { ports, keys } = context;
        const key = await requireRawKey(context, body.key);
        const caller = callerOf(ports, key, context.origin.ip);
        mustReachApi(caller);
        mustBeAllowed(caller, 'read');
        const [user, account] = await ports.table.getMany<[UserItem, AccountItem]>([
          keys.user(key.tenant_id, key.user_id),
          keys.account(key.tenant_id),
        ]);
        if (!user || !account) throw userRemoved();
        const who = { user, account, key, key_digest: digestOf(body.key) };
        return { begun: await beginSession(context, 'key', who, sent), uses: [] };
      }),
  }),
];
