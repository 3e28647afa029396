import { type AccountItem, foldedEmail, isDisabled, type UserItem } from '#lib/access/account.ts';
import { asPerson, auditWriter } from '#lib/access/audit-writer.ts';
import type { Context } from '#lib/access/context.ts';
import { memberAddressWrites } from '#lib/access/mail-address.ts';
import type { AuditWriter } from '#lib/audit/write.ts';
import { beginSession, signIn } from '#lib/identity/sessions/begin-session.ts';
import type { Sent } from '#lib/identity/sessions/same-origin.ts';
import type { Principals } from '#lib/identity/sessions/session.ts';
import { findInvitedUsers } from '#lib/identity/team/invitations.ts';
import { auditedUser } from '#lib/identity/team/team.ts';
import type { Write } from '#lib/platform/ports.ts';
import { commit, RETRY, retryOnConflict } from '#lib/platform/table/retry.ts';
import { HOUR_MS, iso } from '#lib/platform/time.ts';
import { type Claims, isVerified, SignInRefused } from './claims.ts';
import { auditedIdentity, type IdentityItem, identitiesOf, identityDigest, MAX_IDENTITIES } from './identities.ts';
import type { VerifiedIdentity } from './provider.ts';
import type { OidcRequest } from './request.ts';
import { type Membership, resolveIdentity, type SignInTarget, useProof } from './resolve-identity.ts';

type Here = Pick<Context, 'ports' | 'keys' | 'origin'>;

/**
 * Completes a sign-in, linking the identity if needed.
 * @returns Set-Cookie; undefined if a signed-in user only links the identity
 */
export async function completeSignIn(
  context: Here,
  request: OidcRequest,
  verified: VerifiedIdentity,
  sent: Sent,
): Promise<string | undefined> {
  const here: Here = { ...context, origin: { ...context.origin, via: 'oidc' } };
  const { ports } = here;
  const auditWrites = auditNotes(here);
  if (request.begun_for?.by === 'session') {
    await retryOnConflict(ports, async () => {
      const match = await findMatch(here, request, verified);
      return (await commit(ports, [...match.uses, ...auditWrites(match)])).ok ? true : RETRY;
    });
    return undefined;
  }
  const { replaces, origin } = request;
  // The request comes from the provider; the same-origin page is where it started.
  const asBegun = { ...sent, headers: { ...sent.headers, origin } };
  const { cookies } = await signIn(here, async () => {
    const match = await findMatch(here, request, verified);
    const who = { ...match.who, ...(replaces && { replaces }) };
    return { begun: await beginSession(here, 'oidc', who, asBegun), uses: [...match.uses, ...auditWrites(match)] };
  });
  return cookies[0];
}

/** Matched user, the writes of the match, a newly linked identity, and the user before accepting the invitation. */
type SignInMatch = { who: Principals; uses: Write[]; added?: IdentityItem; invited?: UserItem };

/** Returns the audit writes for a linked identity and an accepted invitation, once for all attempts. */
function auditNotes(here: Here): (match: SignInMatch) => Write[] {
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

async function findMatch(here: Here, request: OidcRequest, verified: VerifiedIdentity): Promise<SignInMatch> {
  const { begun_for, account_id } = request;
  const digest = identityDigest(verified.claims);
  const isMeant = ({ tenant_id }: Membership) => account_id === undefined || account_id === tenant_id;
  const identities = await identitiesOf(here, digest);
  const linked = identities.filter(isMeant);
  const isKnown = !begun_for && linked.length > 0;
  const claims = isKnown ? verified.claims : await verified.inFull();
  const invited = begun_for || isKnown ? [] : (await pendingFor(here, claims)).filter(isMeant);
  const outcome = resolveIdentity({ claims, linked, begun_for, invited, trust: here.ports.settings.OIDC_TRUST_EMAIL });
  if ('refused' in outcome)
    throw new SignInRefused(outcome.refused, `subject ${claims.subject} is not allowed to sign in`);
  const match =
    'link' in outcome
      ? await link(here, outcome.link, claims, identities)
      : await useIdentity(here, outcome.as, identities.length > 1);
  return { ...match, uses: [...match.uses, ...(await confirmAddress(here, match.who, claims))] };
}

/** Returns the write by which a verified address of a member may get mails of the account. */
async function confirmAddress(here: Here, { user }: Principals, claims: Claims): Promise<Write[]> {
  const isOwn = claims.email !== undefined && foldedEmail(claims.email) === foldedEmail(user.email);
  if (!isOwn || !isVerified(claims, here.ports.settings.OIDC_TRUST_EMAIL)) return [];
  return memberAddressWrites(here, user.tenant_id, user.email);
}

async function useIdentity(here: Here, as: readonly IdentityItem[], isOneOfSeveral: boolean): Promise<SignInMatch> {
  const { clock, ids } = here.ports;
  const all = await Promise.all(as.map((identity) => principals(here, identity)));
  const at = all.findIndex((who) => who && !isDisabled(who.account));
  const [who, identity] = [all[at], as[at]];
  if (!who || !identity) {
    const reason = all.some((one) => one) ? 'account_disabled' : 'not_invited';
    throw new SignInRefused(reason, 'this person has no account to sign in to');
  }
  // Several identities are ordered by their last use, which must be exact; for a single one, an hour is exact enough.
  const isOld = clock.now() - Date.parse(identity.last_used_at) >= HOUR_MS;
  const used: IdentityItem = { ...identity, v: ids.token(), last_used_at: iso(clock.now()) };
  const same = { version: identity.v };
  const { pk, sk } = identity;
  return { who, uses: [isOld || isOneOfSeveral ? { put: used, if: same } : { check: { pk, sk }, if: same }] };
}

async function link(
  here: Here,
  target: SignInTarget,
  claims: Claims,
  identities: readonly IdentityItem[],
): Promise<SignInMatch> {
  const who = await principals(here, target);
  const proven = who && (await useProof(here, target, who.user, claims));
  if (!proven) throw new SignInRefused('expired', `its ${target.by} is no longer valid`);
  if (isDisabled(who.account)) throw new SignInRefused('account_disabled', `account ${target.tenant_id} is disabled`);
  const { user, identity, if: condition } = linkedTo(here, proven.user, claims, identities);
  return {
    who: { ...who, user },
    ...(condition === 'absent' && { added: identity }),
    ...(target.by === 'invitation' && { invited: who.user }),
    uses: [
      { put: user, if: { version: who.user.v } },
      { put: identity, if: condition },
      { check: here.keys.account(target.tenant_id), if: { version: who.account.v } },
      ...proven.writes,
    ],
  };
}

/** Returns the user with the identity, and the identity with this last use. */
function linkedTo({ ports, keys }: Here, user: UserItem, claims: Claims, identities: readonly IdentityItem[]) {
  const { issuer, subject, email, name } = claims;
  const known = identities.find((one) => one.tenant_id === user.tenant_id && one.user_id === user.id);
  if (!known && user.identities.length >= MAX_IDENTITIES) {
    throw new SignInRefused('failed', `user ${user.id} has ${MAX_IDENTITIES} identities, the maximum`);
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
  const credential = { id: identity.id, digest, name: identity.name };
  const others = user.identities.filter(({ id }) => id !== identity.id);
  return {
    user: { ...user, v: ports.ids.token(), identities: [...others, credential] },
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
  const users = email === undefined ? [] : await findInvitedUsers(here, email);
  return users.map(({ tenant_id, id, invitation }) => ({
    tenant_id,
    user_id: id,
    by: 'invitation',
    digest: invitation!.digest,
  }));
}
