import * as z from 'zod';

const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

/**
 * Why a text cannot be an issuer: a URL without query and fragment (OpenID Connect Discovery 1.0, section 2), by https;
 * by http on this machine alone. Undefined when it can. Whether its provider says the same is seen at sign-in.
 */
function issuerProblem(text: string): string | undefined {
  const url = URL.parse(text);
  if (!url || !['https:', 'http:'].includes(url.protocol)) {
    return 'must be the address of a provider, such as https://login.example.com';
  }
  if (url.protocol === 'http:' && !LOOPBACK.test(url.hostname)) {
    return 'must begin with https://; http is for a provider on this machine (localhost, 127.0.0.1, [::1]) alone';
  }
  if (url.username || url.password) return 'must not hold user:password@';
  if (/[?#]/.test(text)) return 'must have neither ? nor #';
  if (url.pathname.includes('/.well-known/')) return 'must end before /.well-known/';
  return undefined;
}

/** A scope of OAuth (RFC 6749, section 3.3). */
const SCOPE = /^[\x21\x23-\x5b\x5d-\x7e]+$/;
const ONE_LINE = /^[^\p{C}]*$/u;

/** Settings of the identity provider that people may sign in by. */
export const OIDC_SETTINGS = {
  /** Its issuer, to the letter as its discovery document has it; empty: nobody signs in by a provider. */
  OIDC_ISSUER: z
    .string()
    .default('')
    .superRefine((text, context) => {
      const problem = text === '' ? undefined : issuerProblem(text);
      if (problem !== undefined) context.addIssue(problem);
    }),
  OIDC_CLIENT_ID: z.string().max(500).regex(ONE_LINE, 'must be on one line').default(''),
  /** Empty: a public client, which PKCE alone protects. */
  OIDC_CLIENT_SECRET: z.string().max(2000).regex(ONE_LINE, 'must be on one line').default(''),
  /** What the button says; empty: the host of the issuer. */
  OIDC_NAME: z.string().max(100).regex(ONE_LINE, 'must be on one line').default(''),
  /** Separated by spaces. */
  OIDC_SCOPES: z
    .string()
    .default('openid email profile')
    .transform((text) => text.split(/[\s,]+/).filter(Boolean))
    .refine((list) => list.includes('openid'), 'must have openid among them, as in openid email profile')
    .refine((list) => list.every((one) => SCOPE.test(one)), 'must be scopes, such as openid email profile')
    .transform((list) => list.join(' ')),
  /** Whether an e-mail address counts as verified where the provider does not say so, or says that it is not. */
  OIDC_TRUST_EMAIL: z
    .enum(['true', 'false'])
    .default('false')
    .transform((text) => text === 'true'),
};

type Given = Partial<Record<'OIDC_ISSUER' | 'OIDC_CLIENT_ID' | 'OIDC_CLIENT_SECRET', string>>;

/** What does not go together in them; each begins with the name of one. */
export function oidcMisfits({ OIDC_ISSUER = '', OIDC_CLIENT_ID = '', OIDC_CLIENT_SECRET = '' }: Given): string[] {
  if (OIDC_ISSUER !== '' && OIDC_CLIENT_ID === '') {
    return ['OIDC_CLIENT_ID: is missing; OIDC_ISSUER needs the id that the provider gave this service'];
  }
  const alone = OIDC_CLIENT_ID !== '' ? 'OIDC_CLIENT_ID' : OIDC_CLIENT_SECRET !== '' ? 'OIDC_CLIENT_SECRET' : undefined;
  if (OIDC_ISSUER === '' && alone) return [`${alone}: means nothing without OIDC_ISSUER`];
  return [];
}
