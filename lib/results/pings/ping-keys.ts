import { digestOf } from '#lib/access/api-key.ts';
import { auditing } from '#lib/access/auditing.ts';
import type { Context, Scope } from '#lib/access/context.ts';
import {
  auditedPingKey,
  type NewPingKey,
  type PingKeyCountItem,
  type PingKeyItem,
  type PingKeyPointer,
  type PingKeyRecord,
  pingKeyRecord,
} from '#lib/health/pings/ping-key.ts';
import { under } from '#lib/keys.ts';
import { AppError, notFound } from '#lib/platform/errors.ts';
import type { Reader } from '#lib/platform/http/paging.ts';
import { isId } from '#lib/platform/ids.ts';
import type { Key, Write } from '#lib/platform/ports.ts';
import { oneAtATime } from '#lib/platform/table/lock.ts';
import { allOf } from '#lib/platform/table/pages.ts';
import { AGAIN, commit, untilDone } from '#lib/platform/table/retry.ts';
import { iso } from '#lib/platform/time.ts';

/** Most ping keys of an account. */
const MOST_KEYS = 20;
const PING_KEYS = 'pky_';

/** Makes a ping key. Throws NOT_FOUND for its blueprint, LIMIT_EXCEEDED. */
export async function createPingKey(context: Context, { label, blueprint_slug }: NewPingKey): Promise<PingKeyItem> {
  const { ports, keys, tenant } = context;
  if (blueprint_slug !== null && !(await ports.table.get(keys.blueprint(tenant, blueprint_slug)))) {
    throw notFound(`Blueprint ${blueprint_slug}`);
  }
  const id = ports.ids.id('pky');
  const key = ports.ids.shortSecret();
  const item: PingKeyItem = {
    ...keys.pingKey(tenant, id),
    v: ports.ids.token(),
    id,
    label,
    key,
    blueprint_slug,
    created_at: iso(ports.clock.now()),
  };
  const pointer: PingKeyPointer = {
    ...keys.pingKeyPointer(digestOf(key)),
    tenant_id: tenant,
    id,
    label,
    blueprint_slug,
  };
  const note = auditing(context, 'create', auditedPingKey);
  return oneAtATime(ports.table, keys.pingKeys(tenant), () =>
    untilDone(ports, async () => {
      const [made, count] = await keyAndCount(context, id);
      // It was made by a try before, whose answer was lost.
      if (made) return made;
      const writes: Write[] = [{ put: item, if: 'absent' }, { put: pointer }, countWrite(context, count, +1)];
      return (await commit(ports, [...writes, ...note(undefined, item)])).ok ? item : AGAIN;
    }),
  );
}

/** Deletes a ping key: from its return on, no ping with it is taken. Throws NOT_FOUND. */
export async function deletePingKey(context: Context, id: string): Promise<void> {
  const { ports, keys, tenant } = context;
  const note = auditing(context, 'delete', auditedPingKey);
  await oneAtATime(ports.table, keys.pingKeys(tenant), () =>
    untilDone(ports, async () => {
      const [item, count] = await keyAndCount(context, id);
      if (!item) return;
      const done = await commit(ports, [
        { delete: keys.pingKey(tenant, id), if: { version: item.v } },
        { delete: keys.pingKeyPointer(digestOf(item.key)) },
        countWrite(context, count, -1),
        ...note(item, undefined),
      ]);
      return done.ok ? undefined : AGAIN;
    }),
  );
}

const keyAndCount = ({ ports, keys, tenant }: Scope, id: string) =>
  ports.table.getMany<[PingKeyItem, PingKeyCountItem]>([keys.pingKey(tenant, id), keys.pingKeyCount(tenant)]);

function countWrite({ ports, keys, tenant }: Scope, before: PingKeyCountItem | undefined, step: 1 | -1): Write {
  const count = (before?.count ?? 0) + step;
  if (count > MOST_KEYS) {
    throw new AppError('LIMIT_EXCEEDED', `There are ${MOST_KEYS} ping keys, the most that there can be. Delete one.`);
  }
  const put: PingKeyCountItem = { ...keys.pingKeyCount(tenant), v: ports.ids.token(), count };
  return { put, if: before ? { version: before.v } : 'absent' };
}

/** The ping key that a path names. Throws NOT_FOUND. */
export async function requirePingKey({ ports, keys, tenant }: Scope, id: string): Promise<PingKeyItem> {
  const item = isId('pky', id) ? await ports.table.get<PingKeyItem>(keys.pingKey(tenant, id)) : undefined;
  if (!item) throw notFound(`Ping key ${id}`);
  return item;
}

/** Access pattern: all ping keys of a tenant, oldest first. */
export const pingKeyList =
  (context: Context): Reader<PingKeyRecord> =>
  async (after, limit) => {
    const { ports, keys, tenant } = context;
    const range = { partition: keys.pingKeys(tenant), ...under(PING_KEYS), limit, after };
    const { items, next } = await ports.table.query<PingKeyItem>(range);
    return { found: items.map((item) => ({ at: item.sk, value: pingKeyRecord(context, item) })), next };
  };

/** Every key of the table that the ping keys of a tenant have, for the reclaimer of its account. */
export async function keysOfPingKeys({ ports, keys, tenant }: Scope): Promise<Key[]> {
  const items = await allOf<PingKeyItem>(ports.table, { partition: keys.pingKeys(tenant) });
  return items.flatMap(({ pk, sk, key }) => [
    // The count has none.
    ...(key === undefined ? [] : [keys.pingKeyPointer(digestOf(key))]),
    { pk, sk },
  ]);
}
