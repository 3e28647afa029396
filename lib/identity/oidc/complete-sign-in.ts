import { type AccountItem, foldedEmail, isDisabled, type UserItem } from '#lib/access/account.ts';
import { auditWriter, userAsCaller } from '#lib/access/audit-writer.ts';
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

type SignInContext = Pick<Context, 'ports' | 'keys' | 'origin'>;

/** Completes a sign-in. Returns Set-Cookie; undefined if a signed-in user only links the identity. */
export async function completeSignIn(
  received: SignInContext,
  request: OidcRequest,
  verified: VerifiedIdentity,
  sent: Sent,
): Promise<string | undefined> {
  const context: SignInContext = { ...received, origin: { ...received.origin, via: 'oidc' } };
  const { ports } = context;
  const auditWrites = oidcAuditWriter(context);
  if (request.begun_for?.by === 'session') {
    await retryOnConflict(ports, async () => {
      const match = await findMatch(context, request, verified);
      return (await commit(ports, [...match.uses, ...auditWrites(match)])).ok ? true : RETRY;
    });
    return undefined;
  }
  const { replaces, origin } = request;
  // A GET has no `Origin` header. The session cookie depends on it, so the origin at which the sign-in started is used.
  const asBegun = { ...sent, headers: { ...sent.headers, origin } };
  const { cookies } = await signIn(context, async () => {
    const match = await findMatch(context, request, verified);
    const who = { ...match.who, ...(replaces && { replaces }) };
    return { begun: await beginSession(context, 'oidc', who, asBegun), uses: [...match.uses, ...auditWrites(match)] };
  });
  return cookies[0];
}

/** `uses`: writes of the match. `added`: newly linked identity. `invited`: user before accepting. */
type SignInMatch = { who: Principals; uses: Write[]; added?: IdentityItem; invited?: UserItem };

/** Returns a function from a match to its audit writes. All attempts use the same audit entries. */
function oidcAuditWriter(context: SignInContext): (match: SignInMatch) => Write[] {
  let writers: { added: AuditWriter<IdentityItem>; accepted: AuditWriter<UserItem> } | undefined;
  return ({ who: { user }, added, invited }) => {
    const author = { ...context, tenant: user.tenant_id, caller: userAsCaller(user) };
    writers ??= {
      added: auditWriter(author, 'add', auditedIdentity),
      accepted: auditWriter(author, 'accept', auditedUser),
    };
    return [...(added ? writers.added(undefined, added) : []), ...(invited ? writers.accepted(invited, user) : [])];
  };
}

async function findMatch(
  context: SignInContext,
  request: OidcRequest,
  verified: VerifiedIdentity,
): Promise<SignInMatch> {
  const { begun_for, account_id } = request;
  const digest = identityDigest(verified.claims);
  const isRequested = ({ tenant_id }: Membership) => account_id === undefined || account_id === tenant_id;
  const identities = await identitiesOf(context, digest);
  const linked = identities.filter(isRequested);
  const isKnown = !begun_for && linked.length > 0;
  const claims = isKnown ? verified.claims : await verified.inFull();
  const invited = begun_for || isKnown ? [] : (await pendingFor(context, claims)).filter(isRequested);
  const outcome = resolveIdentity({
    claims,
    linked,
    begun_for,
    invited,
    trust: context.ports.settings.OIDC_TRUST_EMAIL,
  });
  if ('refused' in outcome)
    throw new SignInRefused(outcome.refused, `subject ${claims.subject} is not allowed to sign in`);
  const match =
    'link' in outcome
      ? await link(context, outcome.link, claims, identities)
      : await useIdentity(context, outcome.as, identities.length > 1);
  return { ...match, uses: [...match.uses, ...(await confirmAddress(context, match.who, claims))] };
}

async function confirmAddress(context: SignInContext, { user }: Principals, claims: Claims): Promise<Write[]> {
  const isOwn = claims.email !== undefined && foldedEmail(claims.email) === foldedEmail(user.email);
  if (!isOwn || !isVerified(claims, context.ports.settings.OIDC_TRUST_EMAIL)) return [];
  return memberAddressWrites(context, user.tenant_id, user.email);
}

async function useIdentity(
  context: SignInContext,
  as: readonly IdentityItem[],
  isOneOfSeveral: boolean,
): Promise<SignInMatch> {
  const { clock, ids } = context.ports;
  const all = await Promise.all(as.map((identity) => principals(context, identity)));
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
  context: SignInContext,
  target: SignInTarget,
  claims: Claims,
  identities: readonly IdentityItem[],
): Promise<SignInMatch> {
  const who = await principals(context, target);
  const proven = who && (await useProof(context, target, who.user, claims));
  if (!proven) throw new SignInRefused('expired', `its ${target.by} is no longer valid`);
  if (isDisabled(who.account)) throw new SignInRefused('account_disabled', `account ${target.tenant_id} is disabled`);
  const { user, identity, if: condition } = linkedTo(context, proven.user, claims, identities);
  return {
    who: { ...who, user },
    ...(condition === 'absent' && { added: identity }),
    ...(target.by === 'invitation' && { invited: who.user }),
    uses: [
      { put: user, if: { version: who.user.v } },
      { put: identity, if: condition },
      { check: context.keys.account(target.tenant_id), if: { version: who.account.v } },
      ...proven.writes,
    ],
  };
}

function linkedTo({ ports, keys }: SignInContext, user: UserItem, claims: Claims, identities: readonly IdentityItem[]) {
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

async function principals(
  { ports, keys }: SignInContext,
  { tenant_id, user_id }: Membership,
): Promise<Principals | undefined> {
  const [user, account] = await ports.table.getMany<[UserItem, AccountItem]>([
    keys.user(tenant_id, user_id),
    keys.account(tenant_id),
  ]);
  return user && account && { user, account };
}

async function pendingFor(context: SignInContext, { email }: Claims): Promise<SignInTarget[]> {
  const users = email === undefined ? [] : await findInvitedUsers(context, email);
  return users.map(({ tenant_id, id, invitation }) => ({
    tenant_id,
    user_id: id,
    by: 'invitation',
    digest: invitation!.digest,
  }));
}
