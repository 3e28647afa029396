import { type AccountItem, isDisabled, type UserItem } from '#lib/access/account.ts';
import type { Context } from '#lib/access/context.ts';
import { beginSession } from '#lib/access/sessions/begin-session.ts';
import type { Sent } from '#lib/access/sessions/cookie.ts';
import type { Principals } from '#lib/access/sessions/session.ts';
import { invitedBy } from '#lib/access/team/invited-email.ts';
import type { Write } from '#lib/platform/ports.ts';
import { AGAIN, commit, untilDone } from '#lib/platform/table/retry.ts';
import { iso } from '#lib/platform/time.ts';
import type { Claims } from './claims.ts';
import { type IdentityItem, identitiesOf, identityDigest, MOST_IDENTITIES } from './identity.ts';
import { provenBy } from './proof.ts';
import type { Vouched } from './provider.ts';
import type { OidcRequest } from './request.ts';
import { SignInRefused } from './sign-in-refused.ts';
import { type MeantFor, type Membership, whoItIs } from './who-it-is.ts';

const HOUR_MS = 3_600_000;

type Here = Pick<Context, 'ports' | 'keys' | 'origin'>;

/**
 * Ends a sign-in whose person the provider has vouched for: as a user that they are linked to, or by linking them to one.
 * @returns Set-Cookie of the session; undefined where one was there already, as it began in the settings
 */
export function settle(here: Here, request: OidcRequest, vouched: Vouched, sent: Sent): Promise<string | undefined> {
  const { ports, keys } = here;
  const digest = identityDigest(vouched.claims);
  const isMeant = ({ tenant_id }: Membership) => (request.account_id ?? tenant_id) === tenant_id;

  return untilDone(ports, async () => {
    const identities = await identitiesOf(here, digest);
    const linked = identities.filter(isMeant);
    const { begun_for } = request;
    const claims = begun_for || linked.length === 0 ? await vouched.inFull() : vouched.claims;
    const invited = begun_for || linked.length > 0 ? [] : (await pendingFor(here, claims)).filter(isMeant);
    const verdict = whoItIs({ claims, linked, begun_for, invited, trust: ports.settings.OIDC_TRUST_EMAIL });
    if ('refused' in verdict) throw new SignInRefused(verdict.refused, `no user of this service is ${claims.subject}`);
    return 'link' in verdict ? link(verdict.link, claims, identities) : signIn(verdict.as, identities.length > 1);
  });

  async function signIn(as: readonly IdentityItem[], isOneOfSeveral: boolean) {
    let reason: 'not_invited' | 'account_disabled' = 'not_invited';
    for (const identity of as) {
      const who = await principals(identity);
      if (who && isDisabled(who.account)) reason = 'account_disabled';
      if (!who || isDisabled(who.account)) continue;
      const now = ports.clock.now();
      // The order of several is by their last use, to the sign-in; of one alone an hour is exact enough.
      const isNews = isOneOfSeveral || now - Date.parse(identity.last_used_at) >= HOUR_MS;
      const used: IdentityItem = { ...identity, v: ports.ids.token(), last_used_at: iso(now) };
      return commitSession(who, [
        isNews
          ? { put: used, if: { version: identity.v } }
          : { check: { pk: identity.pk, sk: identity.sk }, if: { version: identity.v } },
      ]);
    }
    throw new SignInRefused(reason, 'none of the accounts of this person can be signed in to');
  }

  async function link(meant: MeantFor, claims: Claims, identities: readonly IdentityItem[]) {
    const who = await principals(meant);
    const proven = who && (await provenBy(here, meant, who.user, claims));
    if (!proven) throw new SignInRefused('expired', `the ${meant.by} that it began with has ended`);
    if (isDisabled(who.account)) throw new SignInRefused('account_disabled', `account ${meant.tenant_id} is disabled`);
    const { user, identity, if: condition } = linkedTo(proven.user, claims, identities);
    const writes: Write[] = [
      { put: user, if: { version: who.user.v } },
      { put: identity, if: condition },
      { check: keys.account(meant.tenant_id), if: { version: who.account.v } },
      ...proven.writes,
    ];
    if (meant.by !== 'session') return commitSession({ ...who, user }, writes);
    return (await commit(ports, writes)).ok ? undefined : AGAIN;
  }

  /** The user with the identity among their own, and the identity with this as its last use. */
  function linkedTo(user: UserItem, { issuer, subject, email, name }: Claims, identities: readonly IdentityItem[]) {
    const known = identities.find((one) => one.tenant_id === user.tenant_id && one.user_id === user.id);
    if (!known && user.identities.length >= MOST_IDENTITIES) {
      throw new SignInRefused('failed', `user ${user.id} has ${MOST_IDENTITIES} identities, which is the most`);
    }
    const at = iso(ports.clock.now());
    const identity: IdentityItem = {
      ...keys.identity(digest, user.tenant_id, user.id),
      id: known?.id ?? ports.ids.id('idn'),
      tenant_id: user.tenant_id,
      user_id: user.id,
      issuer,
      subject,
      name: email ?? name ?? '',
      linked_at: known?.linked_at ?? at,
      last_used_at: at,
      v: ports.ids.token(),
    };
    const means = { id: identity.id, digest, name: identity.name };
    const own = user.identities.filter(({ id }) => id !== identity.id);
    return {
      user: { ...user, v: ports.ids.token(), identities: [...own, means] },
      identity,
      if: known ? { version: known.v } : ('absent' as const),
    };
  }

  /** The session, in one transaction with what makes it theirs. */
  async function commitSession(who: Principals, writes: Write[]): Promise<string | typeof AGAIN> {
    // The callback comes from the provider: the origin is that of the page where it began.
    const asBegun = { ...sent, headers: { ...sent.headers, origin: request.origin } };
    const { replaces } = request;
    const session = await beginSession(here, 'oidc', { ...who, ...(replaces && { replaces }) }, asBegun);
    return (await commit(ports, [...writes, ...session.writes])).ok ? session.cookie : AGAIN;
  }

  async function principals({ tenant_id, user_id }: Membership): Promise<Principals | undefined> {
    const at = [keys.user(tenant_id, user_id), keys.account(tenant_id)] as const;
    const [user, account] = await ports.table.getMany<[UserItem, AccountItem]>([...at]);
    return user && account && { user, account };
  }
}

async function pendingFor(here: Here, { email }: Claims): Promise<MeantFor[]> {
  const users = email === undefined ? [] : await invitedBy(here, email);
  return users.map(({ tenant_id, id, invitation }) => ({
    tenant_id,
    user_id: id,
    by: 'invitation',
    digest: invitation!.digest,
  }));
}
