import * as z from 'zod';
import { digestOf } from '#lib/access/api-key.ts';
import { auditWriter } from '#lib/access/audit-writer.ts';
import type { Context, TenantScope } from '#lib/access/context.ts';
import { seesSecrets } from '#lib/access/redaction.ts';
import type { Audited } from '#lib/audit/write.ts';
import { under } from '#lib/keys.ts';
import { notFound } from '#lib/platform/errors.ts';
import type { Reader } from '#lib/platform/http/paging.ts';
import { CreatedAt, IdOf } from '#lib/platform/http/route.ts';
import { isId } from '#lib/platform/ids.ts';
import type { Item, Key, Write } from '#lib/platform/ports.ts';
import { REDACTED } from '#lib/platform/secrets/kept-secrets.ts';
import { type CountItem, countWrite } from '#lib/platform/table/count-item.ts';
import { allOf } from '#lib/platform/table/pages.ts';
import { commit, oneAtATime, RETRY, retryOnConflict } from '#lib/platform/table/retry.ts';
import { Name, Slug } from '#lib/platform/text.ts';
import { iso } from '#lib/platform/time.ts';

const LABEL = 'Purpose of the key.';
const BLUEPRINT =
  'Blueprint in which a ping with create=1 and an unknown slug creates an entity and its check; null rejects the ping.';

export const NewPingKey = z
  .object({
    label: Name.describe(LABEL),
    blueprint_slug: Slug.nullable().describe(BLUEPRINT).default(null),
  })
  .meta({ id: 'NewPingKey' });
export type NewPingKey = z.output<typeof NewPingKey>;

/** Ping key as the API shows it (docs/use/heartbeats.md#ping-keys). */
export const PingKeyRecord = z
  .object({
    id: IdOf('the ping key'),
    label: z.string().describe(LABEL),
    key: z
      .string()
      .describe(
        'Secret in /ping/{key}/{slug of a check}. Permits pings and, with a blueprint, creating checks by ping.',
      ),
    blueprint_slug: z.string().nullable().describe(BLUEPRINT),
    created_at: CreatedAt,
  })
  .meta({ id: 'PingKey' });
export type PingKeyRecord = z.infer<typeof PingKeyRecord>;

/** Ping key of a tenant: about 200 bytes, written once. */
type PingKeyItem = Item & PingKeyRecord & { v: string };

/** Pointer from the digest of a ping key to its tenant; deleted with the key. */
export type PingKeyPointer = Item & { tenant_id: string; id: string; label: string; blueprint_slug: string | null };

/** Returns the ping key as the API shows it; its secret is redacted for a caller that may not see secrets. */
export const pingKeyRecord = ({ caller }: Pick<Context, 'caller'>, item: PingKeyItem): PingKeyRecord => ({
  id: item.id,
  label: item.label,
  key: seesSecrets(caller) ? item.key : REDACTED,
  blueprint_slug: item.blueprint_slug,
  created_at: item.created_at,
});

const auditedPingKey: Audited<PingKeyItem> = {
  type: 'ping_key',
  target: ({ id, label }) => ({ id, name: label }),
  properties: ({ label, blueprint_slug }) => ({ label, blueprint_slug }),
};

const MAX_KEYS = 20;
const PING_KEYS = 'pky_';

/** Creates a ping key. Throws NOT_FOUND if its blueprint does not exist, LIMIT_EXCEEDED. */
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
  const auditWrites = auditWriter(context, 'create', auditedPingKey);
  return oneAtATime(ports.table, keys.pingKeys(tenant), () =>
    retryOnConflict(ports, async () => {
      const [made, count] = await keyAndCount(context, id);
      // Created by an earlier attempt whose response was lost.
      if (made) return made;
      const writes: Write[] = [{ put: item, if: 'absent' }, { put: pointer }, counted(context, count, +1)];
      return (await commit(ports, [...writes, ...auditWrites(undefined, item)])).ok ? item : RETRY;
    }),
  );
}

/** Deletes a ping key, effective on return; does nothing if it does not exist. */
export async function deletePingKey(context: Context, id: string): Promise<void> {
  const { ports, keys, tenant } = context;
  const auditWrites = auditWriter(context, 'delete', auditedPingKey);
  await oneAtATime(ports.table, keys.pingKeys(tenant), () =>
    retryOnConflict(ports, async () => {
      const [item, count] = await keyAndCount(context, id);
      if (!item) return;
      const done = await commit(ports, [
        { delete: keys.pingKey(tenant, id), if: { version: item.v } },
        { delete: keys.pingKeyPointer(digestOf(item.key)) },
        counted(context, count, -1),
        ...auditWrites(item, undefined),
      ]);
      return done.ok ? undefined : RETRY;
    }),
  );
}

const keyAndCount = ({ ports, keys, tenant }: TenantScope, id: string) =>
  ports.table.getMany<[PingKeyItem, CountItem]>([keys.pingKey(tenant, id), keys.pingKeyCount(tenant)]);

const counted = ({ ports, keys, tenant }: TenantScope, before: CountItem | undefined, step: 1 | -1): Write =>
  countWrite(ports, keys.pingKeyCount(tenant), before, step, { max: MAX_KEYS, kind: 'ping keys' });

/** Finds a ping key by its id. Throws NOT_FOUND. */
export async function requirePingKey({ ports, keys, tenant }: TenantScope, id: string): Promise<PingKeyItem> {
  const item = isId('pky', id) ? await ports.table.get<PingKeyItem>(keys.pingKey(tenant, id)) : undefined;
  if (!item) throw notFound(`Ping key ${id}`);
  return item;
}

/** Returns a reader of all ping keys of a tenant, oldest first. */
export const pingKeyList =
  (context: Context): Reader<PingKeyRecord> =>
  async (after, limit) => {
    const { ports, keys, tenant } = context;
    const range = { partition: keys.pingKeys(tenant), ...under(PING_KEYS), limit, after };
    const { items, next } = await ports.table.query<PingKeyItem>(range);
    return { found: items.map((item) => ({ at: item.sk, value: pingKeyRecord(context, item) })), next };
  };

/** Returns the table keys of all ping keys of a tenant, for account deletion. */
export async function keysOfPingKeys({ ports, keys, tenant }: TenantScope): Promise<Key[]> {
  const items = await allOf<PingKeyItem>(ports.table, { partition: keys.pingKeys(tenant) });
  return items.flatMap(({ pk, sk, key }) => [
    // The count item of the partition has no ping key.
    ...(key === undefined ? [] : [keys.pingKeyPointer(digestOf(key))]),
    { pk, sk },
  ]);
}
