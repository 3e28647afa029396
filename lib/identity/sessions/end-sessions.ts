import type { AccountItem, UserItem } from '#lib/access/account.ts';
import type { ApiKeyItem } from '#lib/access/api-key.ts';
import { auditWriter } from '#lib/access/audit-writer.ts';
import type { Context, MutationContext, TenantScope } from '#lib/access/context.ts';
import { userRemoved } from '#lib/access/issue-key.ts';
import type { SessionItem } from '#lib/access/session-item.ts';
import type { Audited } from '#lib/audit/write.ts';
import { notFound } from '#lib/platform/errors.ts';
import type { Key, Write } from '#lib/platform/ports.ts';
import { allOf } from '#lib/platform/table/pages.ts';
import { deleteAll } from '#lib/platform/table/reclaim.ts';
import { commit, RETRY, retryOnConflict } from '#lib/platform/table/retry.ts';
import { pointedKeys, sessionKeys } from './begin-session.ts';
import { auditedSession, endOf, isOver, type SessionPointer, type SessionRecord, sessionRecord } from './session.ts';

/** Sessions deleted per transaction, two items each; a transaction has at most 100 writes. */
const AT_ONCE = 30;

/** Ends one session. Idempotent. */
export function endSession(scope: MutationContext, session: SessionItem): Promise<void> {
  const { ports, keys } = scope;
  const auditWrites = auditWriter(scope, 'end', auditedSession);
  const [sessionKey, pointer] = sessionKeys(keys, session);
  return retryOnConflict(ports, async () => {
    const still = await ports.table.get<SessionItem>(sessionKey);
    if (!still) return undefined;
    const outcome = await commit(ports, [
      // Conditional on the version, so that only one of two concurrent calls writes an audit entry.
      { delete: sessionKey, if: { version: still.v } },
      { delete: pointer },
      ...auditWrites(still, undefined),
    ]);
    return outcome.ok ? undefined : RETRY;
  });
}

const auditedSessions: Audited<UserItem> = {
  type: 'session',
  target: ({ id, email }) => ({ id, name: `the sessions of ${email}` }),
  properties: ({ id }) => ({ user_id: id }),
};

/**
 * Ends all sessions of a user except `kept`. After it returns, the ended sessions are rejected. A session that a key
 * starts meanwhile can continue, because the key could also start one later. Throws NOT_FOUND.
 */
export function endSessions(scope: MutationContext, userId: string, kept?: SessionItem): Promise<void> {
  const { ports, keys, tenant } = scope;
  const auditWrites = auditWriter(scope, 'end', auditedSessions);
  return retryOnConflict(ports, async () => {
    const [user, current] = await Promise.all([
      ports.table.get<UserItem>(keys.user(tenant, userId)),
      kept && ports.table.get<SessionItem>({ pk: kept.pk, sk: kept.sk }),
    ]);
    if (!user) throw notFound(`User ${userId}`);
    const { next, deletes } = await withoutSessions(scope, user, current);
    const writes: Write[] = [
      { put: { ...next, v: ports.ids.token() }, if: { version: user.v } },
      ...deletes,
      ...auditWrites(user, undefined),
    ];
    if (current) {
      const continued: SessionItem = { ...current, v: ports.ids.token(), generation: next.session_generation };
      writes.push({ put: continued, if: { version: current.v } });
    }
    return (await commit(ports, writes)).ok ? undefined : RETRY;
  });
}

/**
 * Returns the next version of a user, in which all sessions have ended, and at most 60 deletes of their items. Write
 * both in one transaction, at the version of `user`. A session that is just starting ends too, because its generation
 * differs, unless it is the session of a key. To continue, `kept` needs the new generation.
 */
export async function withoutSessions(
  { ports, keys, tenant }: TenantScope,
  user: UserItem,
  kept?: SessionItem,
): Promise<{ next: UserItem; deletes: Write[] }> {
  const partition = keys.sessions(tenant, user.id);
  const pointers = await allOf<SessionPointer>(ports.table, { partition });
  const ending = pointers.filter(({ sk }) => sk !== kept?.id);
  // Concurrent sign-ins can create more than fit into the commit. The oldest are deleted before it, even if it fails.
  const first = ending.splice(0, Math.max(0, ending.length - AT_ONCE));
  await deleteAll(
    ports,
    first.flatMap((one) => pointedKeys(keys, one)),
  );
  const deletes = ending.flatMap((one) => pointedKeys(keys, one)).map((key): Write => ({ delete: key }));
  return { next: { ...user, session_generation: user.session_generation + 1 }, deletes };
}

export async function sessionKeysOf({ ports, keys, tenant }: TenantScope, userId: string): Promise<Key[]> {
  const pointers = await allOf<SessionPointer>(ports.table, { partition: keys.sessions(tenant, userId) });
  return pointers.flatMap((one) => pointedKeys(keys, one));
}

/** Returns the session of the caller; null for a key. Throws UNAUTHORIZED for a removed user. */
export async function currentSession(context: Context): Promise<SessionRecord | null> {
  if (!context.session) return null;
  const [record] = await recordsOf(context, [context.session]);
  return record ?? null;
}

/** Lists the active sessions of the caller, newest first. Throws UNAUTHORIZED for a removed user. */
export async function ownSessions(context: Context): Promise<SessionRecord[]> {
  const { ports, keys, tenant, caller } = context;
  const pointers = await allOf<SessionPointer>(ports.table, { partition: keys.sessions(tenant, caller.user_id) });
  const found = await ports.table.getMany<SessionItem>(pointers.map(({ digest }) => keys.session(digest)));
  const now = ports.clock.now();
  const items = found.filter((item) => item !== undefined).filter((item) => endOf(item, ports.settings) > now);
  return (await recordsOf(context, items)).toReversed();
}

async function recordsOf(context: Context, items: SessionItem[]): Promise<SessionRecord[]> {
  const { ports, keys, tenant, caller, session } = context;
  const [user, account] = await ports.table.getMany<[UserItem, AccountItem]>([
    keys.user(tenant, caller.user_id),
    keys.account(tenant),
  ]);
  if (!user || !account) throw userRemoved();
  const byKey = items.map(({ key_digest }) => key_digest).filter((digest) => digest !== undefined);
  const found = await ports.table.getMany<ApiKeyItem>(byKey.map((digest) => keys.apiKey(digest)));
  const keyOf = new Map(byKey.map((digest, i) => [digest, found[i]]));
  return items.flatMap((item) => {
    const key = item.key_digest === undefined ? undefined : keyOf.get(item.key_digest);
    if (item.key_digest === undefined ? isOver(item, user) : !key) return [];
    const who = { user, account, ...(key && { key }) };
    return [sessionRecord(item, who, ports.settings, item.id === session?.id)];
  });
}
