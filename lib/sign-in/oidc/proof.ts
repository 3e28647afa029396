import type { UserItem } from '#lib/access/account.ts';
import type { Context } from '#lib/access/context.ts';
import { invitedEmailKey } from '#lib/access/team/invited-email.ts';
import type { Claims } from '#lib/identity/oidc/claims.ts';
import type { MeantFor } from '#lib/identity/oidc/who-it-is.ts';
import { endOf, type SessionItem } from '#lib/identity/sessions/session.ts';
import type { Write } from '#lib/platform/ports.ts';
import { isName } from '#lib/platform/text.ts';

/** The user once the proof is used, to be written at the version that was read, and what uses it up. */
type Proven = { user: UserItem; writes: Write[] };

/**
 * Whether that by which a sign-in was for this user still holds: it may have been used, replaced or withdrawn while the
 * person was at the provider. Undefined when it does not.
 */
export async function provenBy(
  { ports, keys }: Pick<Context, 'ports' | 'keys'>,
  meant: MeantFor,
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
