import type { AccountItem, UserItem } from '#lib/access/account.ts';
import type { ApiKeyItem } from '#lib/access/api-key.ts';
import type { Context } from '#lib/access/context.ts';
import { userRemoved } from '#lib/access/issue-key.ts';
import {
  endOf,
  isOver,
  type SessionItem,
  type SessionPointer,
  type SessionRecord,
  sessionRecord,
} from '#lib/identity/sessions/session.ts';
import { allOf } from '#lib/platform/table/pages.ts';

/** The session by which the caller came; null for one who came by a key. Throws UNAUTHORIZED for a removed user. */
export async function currentSession(context: Context): Promise<SessionRecord | null> {
  if (!context.session) return null;
  const [record] = await recordsOf(context, [context.session]);
  return record ?? null;
}

/** The caller's sessions that go on, newest first. Throws UNAUTHORIZED for a removed user. */
export async function ownSessions(context: Context): Promise<SessionRecord[]> {
  const { ports, keys, tenant, caller } = context;
  const pointers = await allOf<SessionPointer>(ports.table, { partition: keys.sessions(tenant, caller.user_id) });
  const found = await ports.table.getMany<SessionItem>(pointers.map(({ digest }) => keys.session(digest)));
  const now = ports.clock.now();
  const items = found.filter((item) => item !== undefined && endOf(item, ports.settings) > now) as SessionItem[];
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
