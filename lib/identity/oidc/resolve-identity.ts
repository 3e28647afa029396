import type { UserItem } from '#lib/access/account.ts';
import type { Context } from '#lib/access/context.ts';
import type { SessionItem } from '#lib/access/session-item.ts';
import { endOf } from '#lib/identity/sessions/session.ts';
import { invitedEmailKey } from '#lib/identity/team/invitations.ts';
import type { Write } from '#lib/platform/ports.ts';
import { isName } from '#lib/platform/text.ts';
import { type Claims, isVerified, type OidcError } from './claims.ts';

export type Membership = { tenant_id: string; user_id: string };

/** User for whom the identity is used, and the digest of the proof: invitation, sign-in link or session. */
export type SignInTarget = Membership & { by: 'invitation' | 'link' | 'session'; digest: string };

type Known<Linked extends Membership> = {
  claims: Claims;
  /** Users linked to issuer and subject, the last used first. */
  linked: readonly Linked[];
  /** User of the invitation, link or session with which the sign-in started, if any. */
  begun_for?: SignInTarget | undefined;
  /** Users with a pending invitation for this e-mail address. */
  invited: readonly SignInTarget[];
  /** Setting OIDC_TRUST_EMAIL. */
  trust: boolean;
};

/** `as`: signs in as one of these linked users, the first that can sign in. `link`: links the identity to this user. */
type SignInOutcome<Linked> = { as: readonly Linked[] } | { link: SignInTarget } | { refused: OidcError };

/**
 * Decides which user an identity signs in. Members are found by issuer and subject, never by e-mail address, because
 * providers reassign addresses or do not verify them. An address only finds a pending invitation.
 */
export function resolveIdentity<Linked extends Membership>(known: Known<Linked>): SignInOutcome<Linked> {
  const { claims, linked, begun_for, invited, trust } = known;
  if (begun_for) {
    const here = linked.find(({ tenant_id }) => tenant_id === begun_for.tenant_id);
    // With two users in one account, the sign-in would be ambiguous.
    if (here && here.user_id !== begun_for.user_id) return { refused: 'already_linked' };
    return { link: begun_for };
  }
  if (linked.length > 0) return { as: linked };
  const [only, ...others] = invited;
  // With invitations of several accounts, the address alone does not decide: an invitation link is needed.
  if (!only || others.length > 0) return { refused: 'not_invited' };
  return isVerified(claims, trust) ? { link: only } : { refused: 'email_not_verified' };
}

/** User without the used invitation or link, for the caller to write. `writes` use up or check the proof. */
type Proven = { user: UserItem; writes: Write[] };

/** Uses the proof of a sign-in: returns the user and the writes, or undefined if it is no longer valid for the user. */
export async function useProof(
  { ports, keys }: Pick<Context, 'ports' | 'keys'>,
  target: SignInTarget,
  user: UserItem,
  claims: Claims,
): Promise<Proven | undefined> {
  const now = ports.clock.now();
  if (target.by === 'session') {
    const session = await ports.table.get<SessionItem>(keys.session(target.digest));
    if (!session || session.generation !== user.session_generation) return undefined;
    if (endOf(session, ports.settings) <= now) return undefined;
    return { user, writes: [{ check: keys.session(target.digest), if: { version: session.v } }] };
  }
  const { [target.by]: token, ...rest } = user;
  if (token?.digest !== target.digest || token.valid_until <= now) return undefined;
  if (target.by === 'link') return { user: rest, writes: [{ delete: keys.signInLink(target.digest) }] };
  return {
    user: { ...rest, name: isName(claims.name ?? '') ? claims.name! : user.email },
    writes: [{ delete: keys.invitation(target.digest) }, { delete: invitedEmailKey(keys, user) }],
  };
}
