import { isIP } from 'node:net';
import * as z from 'zod';
import type { Context } from '#lib/access/context.ts';
import { AppError } from '#lib/platform/errors.ts';
import { type OwnAddresses, ownOrigin } from '#lib/platform/http/own-address.ts';
import { route } from '#lib/platform/http/route.ts';

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
      const reason = passkeyHindrance(headers, ports.settings);
      return { passkey: { available: reason === null, reason }, oidc: null, key: true, link: true };
    },
  }),
];

/** Why passkeys do not work where a request came to; null where they do (WebAuthn level 3, 5.1.2: a secure context). */
export function passkeyHindrance(headers: Record<string, string | undefined>, own: OwnAddresses): string | null {
  try {
    const { protocol, hostname } = ownOrigin(headers, own);
    if (isIP(hostname.replace(/^\[(.*)\]$/, '$1')) !== 0) {
      return `Passkeys need a name, and ${hostname} is an IP address. Open http://localhost here, or a name with https.`;
    }
    if (protocol === 'https:' || hostname === 'localhost' || hostname.endsWith('.localhost')) return null;
    return 'Passkeys need https, or http://localhost. Until then, sign in with a link or an API key.';
  } catch (error) {
    if (error instanceof AppError) return error.message;
    throw error;
  }
}
