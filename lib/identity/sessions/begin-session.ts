import { digestOf } from '#lib/access/api-key.ts';
import { auditWriter, userAsCaller } from '#lib/access/audit-writer.ts';
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

/** Maximum number of sessions per user; one more ends the oldest. */
const MAX_SESSIONS = 20;
/** Maximum number of sessions ended by a new one; a transaction has at most 100 writes. */
const MAX_ENDED = 20;

/** Unwritten session. Commit `writes` in one transaction with those that use up its proof, such as an invitation. */
export type BegunSession = {
  /** Two for the new session, two for the replaced session, two for each surplus session. */
  writes: Write[];
  item: SessionItem;
  /** For Set-Cookie. */
  cookie: string;
  record: SessionRecord;
};

/**
 * Creates a session, which the caller writes. Its token is new, so that no token known before the sign-in is valid
 * later; the session of the request cookie ends. The caller checks that the user may sign in (account enabled,
 * invitation accepted). For `oidc`, whose request comes from another site, the caller also checks that this browser
 * started the sign-in. In a retry loop, each attempt reads the user and calls this function again. Throws FORBIDDEN for
 * a page or an address of another origin, UNAUTHORIZED for two cookies of one name.
 * @param who user, account and key, as read in this attempt: if all sessions of the user end meanwhile, this one ends
 *   too, unless a key starts it. `replaces` is the digest of the session to end if the request has no session cookie,
 *   as from a page of another site
 * @param sent headers and cookies of the request
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
  const surplus = rest.slice(0, Math.min(Math.max(0, rest.length - MAX_SESSIONS + 1), MAX_ENDED));
  const ended = [...(replaced ? sessionKeys(keys, replaced) : []), ...surplus.flatMap((one) => pointedKeys(keys, one))];
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

type SignIn = { begun: BegunSession; uses: Write[] };

/**
 * Signs in: commits the result of `attempt` in one transaction, retries on conflict, and returns the response with its
 * cookie. Concurrent uses of one proof create only one session. Throws the errors of `attempt`.
 */
export async function signIn(
  context: Pick<Context, 'ports' | 'keys' | 'origin'>,
  attempt: () => Promise<SignIn>,
): Promise<Reply<SessionRecord>> {
  const { ports } = context;
  let tried: BegunSession | undefined;
  let auditWrites: AuditWriter<SessionItem> | undefined;
  const { record, cookie } = await retryOnConflict(ports, async () => {
    // An earlier attempt succeeded, but its response was lost.
    if (tried && (await ports.table.get(tried.item))?.v === tried.item.v) return tried;
    const { begun, uses } = await attempt();
    tried = begun;
    const { item, record } = begun;
    auditWrites ??= auditWriter(
      { ...context, tenant: item.tenant_id, ...asSignedInUser(record, context.origin) },
      'create',
      auditedSession,
    );
    return (await commit(ports, [...uses, ...begun.writes, ...auditWrites(undefined, item)])).ok ? begun : RETRY;
  });
  return new Reply(record, {}, [cookie]);
}

const asSignedInUser = ({ user }: SessionRecord, origin: Origin) => ({
  caller: userAsCaller(user),
  origin: { ...origin, via: origin.via === 'oidc' ? origin.via : ('console' as const) },
});

export const sessionKeys = (
  keys: Keys,
  { pk, sk, tenant_id, user_id, id }: SessionItem,
): [session: Key, pointer: Key] => [{ pk, sk }, keys.sessionPointer(tenant_id, user_id, id)];

export const pointedKeys = (keys: Keys, { pk, sk, digest }: SessionPointer): Key[] => [
  keys.session(digest),
  { pk, sk },
];
