import * as z from 'zod';
import type { Context } from '#lib/access/context.ts';
import { whyNoPasskeysHere } from '#lib/identity/passkeys/judge-answer.ts';
import { route } from '#lib/platform/http/route.ts';
import type { Settings } from '#lib/settings.ts';

const row = route<Context>();

/** What a page offers to somebody who is not signed in. */
const Methods = z
  .object({
    passkey: z
      .object({
        available: z.boolean().describe('Whether passkeys work at this address.'),
        reason: z.string().nullable().describe('Why not, and what to do; null where they do.'),
      })
      .describe('Sign-in by passkey.'),
    oidc: z
      .object({ name: z.string().describe('What it is called.') })
      .nullable()
      .describe('The identity provider of the operator; null where there is none.'),
    key: z.boolean().describe('Whether an API key signs in.'),
    link: z.boolean().describe('Whether a sign-in link does.'),
  })
  .meta({ id: 'SignInMethods' });

export const methodRows = [
  row({
    method: 'GET',
    path: '/v1/sign-in/methods',
    access: 'open',
    summary: 'How one can sign in at this address',
    status: 200,
    reply: Methods,
    run: async ({ ports }, { headers }) => {
      const reason = whyNoPasskeysHere(headers, ports.settings) ?? null;
      return { passkey: { available: reason === null, reason }, oidc: provider(ports.settings), key: true, link: true };
    },
  }),
];

/** The identity provider of the settings, by the name that the operator gave it, or else by its host. */
const provider = ({ OIDC_ISSUER, OIDC_NAME }: Settings): { name: string } | null =>
  OIDC_ISSUER === '' ? null : { name: OIDC_NAME || new URL(OIDC_ISSUER).host };
