import * as z from 'zod';
import type { Context } from '#lib/access/context.ts';
import { beginSession, signIn } from '#lib/identity/sessions/begin-session.ts';
import { SessionRecord } from '#lib/identity/sessions/session.ts';
import { findLink } from '#lib/identity/sign-in-link.ts';
import { route } from '#lib/platform/http/route.ts';
import { text } from '#lib/platform/text.ts';

const row = route<Context>();

const LinkToken = z
  .object({ token: text(1, 200).describe('Of the link: fwl_…. It is good once.') })
  .meta({ id: 'SignInByLink' });

export const linkRows = [
  row({
    method: 'POST',
    path: '/v1/sign-in/link',
    access: 'open',
    rate: 'sign-in',
    summary: 'Sign in by a link, once; sets the cookie of the session',
    status: 201,
    body: LinkToken,
    reply: SessionRecord,
    errors: ['UNAUTHORIZED', 'FORBIDDEN', 'ACCOUNT_DISABLED'],
    run: (context, { body, ...sent }) =>
      signIn(context, async () => {
        const { account, before, user, use } = await findLink(context, body.token);
        const begun = await beginSession(context, 'link', { user, account }, sent);
        return { begun, uses: [use, { put: user, if: { version: before.v } }] };
      }),
  }),
];
