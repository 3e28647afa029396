import { type AccountItem, isDisabled, type UserItem } from '#lib/access/account.ts';
import { asPerson, auditWriter } from '#lib/access/audit-writer.ts';
import type { Context } from '#lib/access/context.ts';
import type { AuditWriter } from '#lib/audit/write.ts';
import { beginSession, signIn } from '#lib/identity/sessions/begin-session.ts';
import type { Sent } from '#lib/identity/sessions/same-origin.ts';
import type { Principals } from '#lib/identity/sessions/session.ts';
import { invitedBy } from '#lib/identity/team/invitations.ts';
import { auditedUser } from '#lib/identity/team/team.ts';
import type { Write } from '#lib/platform/ports.ts';
import { commit, RETRY, retryOnConflict } from '#lib/platform/table/retry.ts';
import { HOUR_MS, iso } from '#lib/platform/time.ts';
import { type Claims, SignInRefused } from './claims.ts';
import { auditedIdentity, type IdentityItem, identitiesOf, identityDigest, MAX_IDENTITIES } from './identities.ts';
import type { VerifiedIdentity } from './provider.ts';
import type { OidcRequest } from './request.ts';
import { isProofValid, type Membership, resolveIdentity, type SignInTarget } from './resolve-identity.ts';

type Here = Pick<Context, 'ports' | 'keys' | 'origin'>;

/**
 * Ends a sign-in whose person the provider has vouched for: as a user that they are linked to, or by linking them to
 * one. Throws SignInRefused.
 * @returns Set-Cookie of the session; undefined where one is there already, as it began in the settings
 */
export async function completeSignIn(
  came: Here,
  request: OidcRequest,
  vouched: VerifiedIdentity,
  sent: Sent,
): Promise<string | undefined> {
  const here: Here = { ...came, origin: { ...came.origin, via: 'oidc' } };
  const { ports } = here;
  const note = notesOf(here);
  if (request.begun_for?.by === 'session') {
    await retryOnConflict(ports, async () => {
      const it = await found(here, request, vouched);
      return (await commit(ports, [...it.uses, ...note(it)])).ok ? true : RETRY;
    });
    return undefined;
  }
  const { replaces, origin } = request;
  // The request comes from the provider: ours is the page where it began.
  const asBegun = { ...sent, headers: { ...sent.headers, origin } };
  const { cookies } = await signIn(here, async () => {
    const it = await found(here, request, vouched);
    const who = { ...it.who, ...(replaces && { replaces }) };
    return { begun: await beginSession(here, 'oidc', who, asBegun), uses: [...it.uses, ...note(it)] };
  });
  return cookies[0];
}

/**
 * Who it is, the writes by which this becomes so, the identity that is new to them, and who they were while invited.
 */
type SignInMatch = { who: Principals; uses: Write[]; added?: IdentityItem; invited?: UserItem };

/** What notes the identity that was added and the invitation that was accepted, once for all tries. */
function notesOf(here: Here): (found: SignInMatch) => Write[] {
  let notes: { added: AuditWriter<IdentityItem>; accepted: AuditWriter<UserItem> } | undefined;
  return ({ who: { user }, added, invited }) => {
    const author = { ...here, tenant: user.tenant_id, caller: asPerson(user) };
    notes ??= {
      added: auditWriter(author, 'add', auditedIdentity),
      accepted: auditWriter(author, 'accept', auditedUser),
    };
    return [...(added ? notes.added(undefined, added) : []), ...(invited ? notes.accepted(invited, user) : [])];
  };
}

async function found(here: Here, request: OidcRequest, vouched: VerifiedIdentity): Promise<SignInMatch> {
  const { begun_for, account_id } = request;
  const digest = identityDigest(vouched.claims);
  const isMeant = ({ tenant_id }: Membership) => account_id === undefined || account_id === tenant_id;
  const identities = await identitiesOf(here, digest);
  const linked = identities.filter(isMeant);
  const isKnown = !begun_for && linked.length > 0;
  const claims = isKnown ? vouched.claims : await vouched.inFull();
  const invited = begun_for || isKnown ? [] : (await pendingFor(here, claims)).filter(isMeant);
  const verdict = resolveIdentity({ claims, linked, begun_for, invited, trust: here.ports.settings.OIDC_TRUST_EMAIL });
  if ('refused' in verdict) throw new SignInRefused(verdict.refused, `subject ${claims.subject} is no user who may`);
  if ('link' in verdict) return link(here, verdict.link, claims, identities);
  return useIdentity(here, verdict.as, identities.length > 1);
}

async function useIdentity(here: Here, as: readonly IdentityItem[], isOneOfSeveral: boolean): Promise<SignInMatch> {
  const { clock, ids } = here.ports;
  const all = await Promise.all(as.map((identity) => principals(here, identity)));
  const at = all.findIndex((who) => who && !isDisabled(who.account));
  const [who, identity] = [all[at], as[at]];
  if (!who || !identity) {
    const reason = all.some((one) => one) ? 'account_disabled' : 'not_invited';
    throw new SignInRefused(reason, 'no account of this person can be signed in to');
  }
  // Several are in the order of their last use, to the sign-in; of one alone an hour is exact enough.
  const isOld = clock.now() - Date.parse(identity.last_used_at) >= HOUR_MS;
  const used: IdentityItem = { ...identity, v: ids.token(), last_used_at: iso(clock.now()) };
  const same = { version: identity.v };
  const { pk, sk } = identity;
  return { who, uses: [isOld || isOneOfSeveral ? { put: used, if: same } : { check: { pk, sk }, if: same }] };
}

async function link(
  here: Here,
  meant: SignInTarget,
  claims: Claims,
  identities: readonly IdentityItem[],
): Promise<SignInMatch> {
  const who = await principals(here, meant);
  const proven = who && (await isProofValid(here, meant, who.user, claims));
  if (!proven) throw new SignInRefused('expired', `the ${meant.by} that it began with has ended`);
  if (isDisabled(who.account)) throw new SignInRefused('account_disabled', `account ${meant.tenant_id} is disabled`);
  const { user, identity, if: condition } = linkedTo(here, proven.user, claims, identities);
  return {
    who: { ...who, user },
    ...(condition === 'absent' && { added: identity }),
    ...(meant.by === 'invitation' && { invited: who.user }),
    uses: [
      { put: user, if: { version: who.user.v } },
      { put: identity, if: condition },
      { check: here.keys.account(meant.tenant_id), if: { version: who.account.v } },
      ...proven.writes,
    ],
  };
}

/** The user with the identity among their own, and the identity with this as its last use. */
function linkedTo({ ports, keys }: Here, user: UserItem, claims: Claims, identities: readonly IdentityItem[]) {
  const { issuer, subject, email, name } = claims;
  const known = identities.find((one) => one.tenant_id === user.tenant_id && one.user_id === user.id);
  if (!known && user.identities.length >= MAX_IDENTITIES) {
    throw new SignInRefused('failed', `user ${user.id} has ${MAX_IDENTITIES} identities, which is the most`);
  }
  const digest = identityDigest(claims);
  const at = iso(ports.clock.now());
  const identity: IdentityItem = {
    ...keys.identity(digest, user.tenant_id, user.id),
    v: ports.ids.token(),
    id: known?.id ?? ports.ids.id('idn'),
    tenant_id: user.tenant_id,
    user_id: user.id,
    issuer,
    subject,
    name: email ?? name ?? '',
    linked_at: known?.linked_at ?? at,
    last_used_at: at,
  };
  const means = { id: identity.id, digest, name: identity.name };
  const others = user.identities.filter(({ id }) => id !== identity.id);
  return {
    user: { ...user, v: ports.ids.token(), identities: [...others, means] },
    identity,
    if: known ? { version: known.v } : ('absent' as const),
  };
}

async function principals({ ports, keys }: Here, { tenant_id, user_id }: Membership): Promise<Principals | undefined> {
  const [user, account] = await ports.table.getMany<[UserItem, AccountItem]>([
    keys.user(tenant_id, user_id),
    keys.account(tenant_id),
  ]);
  return user && account && { user, account };
}

async function pendingFor(here: Here, { email }: Claims): Promise<SignInTarget[]> {
  const users = email === undefined ? [] : await invitedBy(here, email);
  return users.map(({ tenant_id, id, invitation }) => ({
    tenant_id,
    user_id: id,
    by: 'invitation',
    digest: invitation!.digest,
  }));
}
