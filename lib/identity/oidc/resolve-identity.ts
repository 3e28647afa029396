import type { UserItem } from '#lib/access/account.ts';
import type { Context } from '#lib/access/context.ts';
import type { SessionItem } from '#lib/access/session-item.ts';
import { endOf } from '#lib/identity/sessions/session.ts';
import { invitedEmailKey } from '#lib/identity/team/invitations.ts';
import type { Write } from '#lib/platform/ports.ts';
import { isName } from '#lib/platform/text.ts';
import { type Claims, isVerified, type OidcError } from './claims.ts';

/** A user of an account. */
export type Membership = { tenant_id: string; user_id: string };

/**
 * Who a sign-in is for before anybody has signed in, and what says so: the digest of the token of their invitation or
 * sign-in link, or of the session in whose settings it began.
 */
export type SignInTarget = Membership & { by: 'invitation' | 'link' | 'session'; digest: string };

type Known<Linked extends Membership> = {
  claims: Claims;
  /** The users that issuer and subject are linked to, the last used first. */
  linked: readonly Linked[];
  /** With whose invitation or link, or in whose settings, it began. */
  begun_for?: SignInTarget | undefined;
  /** Users whose invitation to this e-mail address is pending. */
  invited: readonly SignInTarget[];
  /** The setting OIDC_TRUST_EMAIL. */
  trust: boolean;
};

/** `as`: signs in as the first of them. `link`: the identity is this user's from now on. */
type SignInOutcome<Linked> = { as: readonly Linked[] } | { link: SignInTarget } | { refused: OidcError };

/**
 * Who it is that a provider vouches for. Issuer and subject decide. An e-mail address only ever accepts a pending
 * invitation: providers give addresses to others, let people enter any, or leave them unverified, and so no member is
 * ever found by one.
 */
export function resolveIdentity<Linked extends Membership>(known: Known<Linked>): SignInOutcome<Linked> {
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

/** The user once the proof is used, to be written at the version that was read, and what uses it up. */
type Proven = { user: UserItem; writes: Write[] };

/**
 * Whether that by which a sign-in was for this user still holds: it may have been used, replaced or withdrawn while the
 * person was at the provider. Undefined when it does not.
 */
export async function isProofValid(
  { ports, keys }: Pick<Context, 'ports' | 'keys'>,
  meant: SignInTarget,
  user: UserItem,
  claims: Claims,
): Promise<Proven | undefined> {
  const now = ports.clock.now();
  if (meant.by === 'session') {
    const session = await ports.table.get<SessionItem>(keys.session(meant.digest));
    if (!session || session.generation !== user.session_generation) return undefined;
    if (endOf(session, ports.settings) <= now) return undefined;
    return { user, writes: [{ check: keys.session(meant.digest), if: { version: session.v } }] };
  }
  const { [meant.by]: token, ...rest } = user;
  if (token?.digest !== meant.digest || token.valid_until <= now) return undefined;
  if (meant.by === 'link') return { user: rest, writes: [{ delete: keys.signInLink(meant.digest) }] };
  return {
    user: { ...rest, name: isName(claims.name ?? '') ? claims.name! : user.email },
    writes: [{ delete: keys.invitation(meant.digest) }, { delete: invitedEmailKey(keys, user) }],
  };
}
