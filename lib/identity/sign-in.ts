import * as z from 'zod';
import type { AccountItem, UserItem } from '#lib/access/account.ts';
import { digestOf } from '#lib/access/api-key.ts';
import { callerOf, requireRawKey } from '#lib/access/authenticate.ts';
import type { Context } from '#lib/access/context.ts';
import { userRemoved } from '#lib/access/issue-key.ts';
import { assertApiAllowed } from '#lib/access/restriction.ts';
import { oidcRoutes } from '#lib/identity/oidc/routes.ts';
import { passkeyRoutes } from '#lib/identity/passkeys/routes.ts';
import { passkeysUnavailableHere } from '#lib/identity/passkeys/validate-response.ts';
import { beginSession, signIn } from '#lib/identity/sessions/begin-session.ts';
import { SessionRecord } from '#lib/identity/sessions/session.ts';
import { assertAllowed } from '#lib/platform/http/assert-allowed.ts';
import { type Route, route } from '#lib/platform/http/route.ts';
import { text } from '#lib/platform/text.ts';
import type { Settings } from '#lib/settings.ts';
import { findLink } from './sign-in-link.ts';

const endpoint = route<Context>();

const LinkToken = z
  .object({ token: text(1, 200).describe('Token of the link: fwl_…. Works once.') })
  .meta({ id: 'SignInByLink' });

const linkRoutes = [
  endpoint({
    method: 'POST',
    path: '/v1/sign-in/link',
    access: 'open',
    rate: 'sign-in',
    summary: 'Sign in with a link',
    description: 'The link works once. Sets the session cookie.',
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

const RawKey = z.object({ key: text(1, 200).describe('API key with read access: fw_….') }).meta({ id: 'SignInByKey' });

const keySignInRoutes = [
  endpoint({
    method: 'POST',
    path: '/v1/sign-in/key',
    access: 'open',
    rate: 'sign-in',
    summary: 'Sign in with an API key',
    description: 'The session has the permissions of the key while the key is valid.',
    status: 201,
    body: RawKey,
    reply: SessionRecord,
    errors: ['UNAUTHORIZED', 'FORBIDDEN', 'ACCOUNT_DISABLED'],
    run: (context, { body, ...sent }) =>
      signIn(context, async () => {
        const { ports, keys } = context;
        const key = await requireRawKey(context, body.key);
        const caller = callerOf(ports, key, context.origin.ip);
        assertApiAllowed(caller);
        assertAllowed(caller, 'read');
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

const Methods = z
  .object({
    passkey: z
      .object({
        available: z.boolean().describe('Whether passkeys work at this address.'),
        reason: z.string().nullable().describe('Why passkeys do not work, and what to do; null if they work.'),
      })
      .describe('Sign-in by passkey.'),
    oidc: z
      .object({ name: z.string().describe('Name of the provider.') })
      .nullable()
      .describe('Identity provider of the operator; null without one.'),
    key: z.boolean().describe('Whether users can sign in with an API key.'),
    link: z.boolean().describe('Whether users can sign in with a link.'),
  })
  .meta({ id: 'SignInMethods' });

const methodRoutes = [
  endpoint({
    method: 'GET',
    path: '/v1/sign-in/methods',
    access: 'open',
    summary: 'List the sign-in methods at this address',
    status: 200,
    reply: Methods,
    run: async ({ ports }, { headers }) => {
      const reason = passkeysUnavailableHere(headers, ports.settings) ?? null;
      return { passkey: { available: reason === null, reason }, oidc: provider(ports.settings), key: true, link: true };
    },
  }),
];

const provider = ({ OIDC_ISSUER, OIDC_NAME }: Settings): { name: string } | null =>
  OIDC_ISSUER === '' ? null : { name: OIDC_NAME || new URL(OIDC_ISSUER).host };

export const signInRoutes: Route<Context>[] = [
  ...methodRoutes,
  ...passkeyRoutes,
  ...oidcRoutes,
  ...linkRoutes,
  ...keySignInRoutes,
];
