import { digestOf } from '#lib/access/api-key.ts';
import { asPerson, auditWriter } from '#lib/access/audit-writer.ts';
import type { Context, Origin } from '#lib/access/context.ts';
import type { SessionItem, SignInMethod } from '#lib/access/session-item.ts';
import type { AuditWriter } from '#lib/audit/write.ts';
import type { Keys } from '#lib/keys.ts';
import { Reply } from '#lib/platform/http/route.ts';
import type { Key, Write } from '#lib/platform/ports.ts';
import { allOf } from '#lib/platform/table/pages.ts';
import { commit, RETRY, retryOnConflict } from '#lib/platform/table/retry.ts';
import { iso } from '#lib/platform/time.ts';
import { assertSameOriginSignIn, type Sent, sessionCookie, sessionToken } from './same-origin.ts';
import {
  auditedSession,
  latestEnd,
  type Principals,
  type SessionPointer,
  type SessionRecord,
  sessionRecord,
} from './session.ts';

/** Sessions of a user; with one more, the oldest ends. */
const MAX_SESSIONS = 20;
/** That end for a new one; more of them only after many sign-ins at once. A transaction has at most 100 writes. */
const MAX_ENDED = 20;

/**
 * A session, not yet written. A way in commits `writes` in one transaction with those that use up what proves who signs
 * in (its link, challenge, state), so that neither happens without the other, and then answers `record` with `cookie`.
 */
export type BegunSession = {
  /** Two of the session, two for that of the cookie that came along, two for each that is one too many. */
  writes: Write[];
  item: SessionItem;
  /** For Set-Cookie. */
  cookie: string;
  record: SessionRecord;
};

/**
 * Begins a session with a token drawn now: nothing that was known before the sign-in is worth anything after it, and
 * the session of the cookie that came along ends. Whether they may sign in (the account is not disabled, the user is
 * no invitation) is for the way in to judge, and with `oidc`, whose answer comes from another site, that this browser
 * asked for it. Call it anew in each try of a retry loop, with the user as that has read them. Throws FORBIDDEN for a
 * page or an address that is not ours, UNAUTHORIZED for two cookies of one name.
 * @param who as read before the proof was: should all sessions of the user be ended meanwhile, this one has ended too
 * `replaces` is the digest of a session that ends where no cookie came along, as from a page of another site.
 * @param sent the call's headers and cookies
 */
export async function beginSession(
  { ports, keys, origin }: Pick<Context, 'ports' | 'keys' | 'origin'>,
  method: SignInMethod,
  who: Principals & { key_digest?: string; replaces?: string },
  sent: Sent,
): Promise<BegunSession> {
  const { user, key_digest } = who;
  const now = ports.clock.now();
  const [id, token] = [ports.ids.id('ses'), ports.ids.secret()];
  const digest = digestOf(token);
  if (method !== 'oidc') assertSameOriginSignIn(sent.headers, ports.settings);
  const valid_until = latestEnd(method, now, ports.settings, who.key);
  const item: SessionItem = {
    ...keys.session(digest),
    v: ports.ids.token(),
    id,
    tenant_id: user.tenant_id,
    user_id: user.id,
    method,
    ...(key_digest !== undefined && { key_digest }),
    generation: user.session_generation,
    created_at: iso(now),
    last_seen_at: iso(now),
    last_seen_from: origin.ip,
    user_agent: origin.user_agent,
    valid_until,
    expires_at: Math.ceil(valid_until / 1000),
  };
  const pointer: SessionPointer = {
    ...keys.sessionPointer(user.tenant_id, user.id, id),
    digest,
    expires_at: item.expires_at,
  };
  const cookie = sessionCookie(sent, ports.settings, token, (valid_until - now) / 1000);

  const token_before = sessionToken(sent, ports.settings);
  const before = token_before === undefined ? who.replaces : digestOf(token_before);
  const [replaced, others] = await Promise.all([
    before === undefined ? undefined : ports.table.get<SessionItem>(keys.session(before)),
    allOf<SessionPointer>(ports.table, { partition: keys.sessions(user.tenant_id, user.id) }),
  ]);
  const rest = others.filter(({ sk }) => sk !== replaced?.id);
  const tooMany = rest.slice(0, Math.min(Math.max(0, rest.length - MAX_SESSIONS + 1), MAX_ENDED));
  const ended = [...(replaced ? sessionKeys(keys, replaced) : []), ...tooMany.flatMap((one) => pointedKeys(keys, one))];
  return {
    writes: [
      { put: item, if: 'absent' },
      { put: pointer, if: 'absent' },
      ...ended.map((key): Write => ({ delete: key })),
    ],
    item,
    cookie,
    record: sessionRecord(item, who, ports.settings, true),
  };
}

/** What a try of a way in has found: the session, and the writes that use up what proved who signs in. */
type SignIn = { begun: BegunSession; uses: Write[] };

/**
 * Signs in: commits what `attempt` finds, in one transaction, and has it look again when another was faster. So of any
 * number of uses of one proof at once a single one ends in a session. Throws what `attempt` throws.
 * @returns the answer of a way in, with its cookie
 */
export async function signIn(
  context: Pick<Context, 'ports' | 'keys' | 'origin'>,
  attempt: () => Promise<SignIn>,
): Promise<Reply<SessionRecord>> {
  const { ports } = context;
  let tried: BegunSession | undefined;
  let note: AuditWriter<SessionItem> | undefined;
  const { record, cookie } = await retryOnConflict(ports, async () => {
    // A try before did it, whose answer was lost.
    if (tried && (await ports.table.get(tried.item))?.v === tried.item.v) return tried;
    const { begun, uses } = await attempt();
    tried = begun;
    const { item, record } = begun;
    note ??= auditWriter(
      { ...context, tenant: item.tenant_id, ...asThemselves(record, context.origin) },
      'create',
      auditedSession,
    );
    return (await commit(ports, [...uses, ...begun.writes, ...note(undefined, item)])).ok ? begun : RETRY;
  });
  return new Reply(record, {}, [cookie]);
}

/** Whoever signs in is known from then on, and is on a page. */
const asThemselves = ({ user }: SessionRecord, origin: Origin) => ({
  caller: asPerson(user),
  origin: { ...origin, via: origin.via === 'oidc' ? origin.via : ('console' as const) },
});

/** Where a session stands: what is deleted when it ends. */
export const sessionKeys = (
  keys: Keys,
  { pk, sk, tenant_id, user_id, id }: SessionItem,
): [session: Key, pointer: Key] => [{ pk, sk }, keys.sessionPointer(tenant_id, user_id, id)];

/** The same of one that is known by its pointer. */
export const pointedKeys = (keys: Keys, { pk, sk, digest }: SessionPointer): Key[] => [
  keys.session(digest),
  { pk, sk },
];
