import type { OidcError } from '#lib/sign-in/oidc/sign-in-refused.ts';
import { type Claims, isVerified } from './claims.ts';

/** A user of an account. */
export type Membership = { tenant_id: string; user_id: string };

/**
 * Who a sign-in is for before anybody has signed in, and what says so: the digest of the token of their invitation or
 * sign-in link, or of the session in whose settings it began.
 */
export type MeantFor = Membership & { by: 'invitation' | 'link' | 'session'; digest: string };

type Known<Linked extends Membership> = {
  claims: Claims;
  /** The users that issuer and subject are linked to, the last used first. */
  linked: readonly Linked[];
  /** With whose invitation or link, or in whose settings, it began. */
  begun_for?: MeantFor | undefined;
  /** Users whose invitation to this e-mail address is pending. */
  invited: readonly MeantFor[];
  /** The setting OIDC_TRUST_EMAIL. */
  trust: boolean;
};

/** `as`: signs in as the first of them. `link`: the identity is this user's from now on. */
type Verdict<Linked> = { as: readonly Linked[] } | { link: MeantFor } | { refused: OidcError };

/**
 * Who it is that a provider vouches for. Issuer and subject decide. An e-mail address only ever accepts a pending
 * invitation: providers give addresses to others, let people enter any, or leave them unverified, and so no member is
 * ever found by one.
 */
export function whoItIs<Linked extends Membership>(known: Known<Linked>): Verdict<Linked> {
  const { claims, linked, begun_for, invited, trust } = known;
  if (begun_for) {
    const here = linked.find(({ tenant_id }) => tenant_id === begun_for.tenant_id);
    // Of two users in one account nobody could say which to sign in as.
    if (here && here.user_id !== begun_for.user_id) return { refused: 'already_linked' };
    return { link: begun_for };
  }
  if (linked.length > 0) return { as: linked };
  const [only, ...others] = invited;
  // Invited by several accounts: the invitation itself says which is meant.
  if (!only || others.length > 0) return { refused: 'not_invited' };
  return isVerified(claims, trust) ? { link: only } : { refused: 'email_not_verified' };
}
