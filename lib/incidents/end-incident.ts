import { type NotifiedFailureItem, notifiedFailureWrites } from '#lib/alerting/decide/notified-failure.ts';
import type { EntityItem } from '#lib/catalog/entity.ts';
import type { Env } from '#lib/env.ts';
import { INCIDENT_ENTITIES, under } from '#lib/keys.ts';
import { MAX_WAIT_MS } from '#lib/messages.ts';
import { chunks } from '#lib/platform/plain-data.ts';
import { pagesOf } from '#lib/platform/table/pages.ts';
import { commit, RETRY, retryOnConflict } from '#lib/platform/table/retry.ts';
import { iso } from '#lib/platform/time.ts';
import type { IncidentEntity, IncidentItem } from './incident.ts';
import { resolvedWrites } from './timeline.ts';

type IncidentKey = { tenant_id: string; incident_id: string };

/** Minimum delay in ms, so that recoveries of several entities are handled together. */
const MIN_WAIT_MS = 1_000;
/** Time in ms after its due time at which a recheck counts as lost and is sent again. */
const LOST_MS = 10 * 60_000;
/** Delay in ms of the next recheck while an update of an entity has not reached the incident. */
const SOON_MS = 5_000;

/** Schedules a recheck, unless one is pending. Sends it before it is recorded, so that a crash does not lose it. */
export async function scheduleRecheck(
  { ports }: Env,
  { tenant_id, id: incident_id, recheck_at }: Pick<IncidentItem, 'tenant_id' | 'id' | 'recheck_at'>,
  at?: number,
): Promise<Pick<IncidentItem, 'recheck_at'>> {
  const now = ports.clock.now();
  if (recheck_at !== undefined && recheck_at > now - LOST_MS) return { recheck_at };
  const quiet = Math.max(ports.settings.INCIDENT_QUIET_SECONDS * 1000, MIN_WAIT_MS);
  const next = Math.min(at ?? now + quiet, now + MAX_WAIT_MS);
  await ports.queues.send('incident', [{ body: { tenant_id, incident_id }, not_before: next, group: tenant_id }]);
  return { recheck_at: next };
}

/** Resolves an automatic incident once the quiet time is over; `resolved_at` is its last recovery. Idempotent. */
export async function resolveIfQuiet(env: Env, { tenant_id, incident_id }: IncidentKey): Promise<void> {
  const incident = await startRecheck(env, { tenant_id, incident_id });
  if (!incident || incident.origin === 'manual') return;
  if (incident.resolved_at === undefined) {
    const status = await entityStatus(env, incident);
    if ('down' in status) return;
    const now = env.ports.clock.now();
    const quietAt = status.recovered_at + env.ports.settings.INCIDENT_QUIET_SECONDS * 1000;
    if (quietAt > now || status.hasPendingUpdate) return repeatRecheck(env, incident, Math.max(quietAt, now + SOON_MS));
    const { ports } = env;
    const end = { resolved_at: iso(status.recovered_at), resolved_by: 'automatic' };
    // The incident was changed meanwhile: repeat the recheck.
    if (!(await commit(ports, resolvedWrites(env, incident, end))).ok)
      return repeatRecheck(env, incident, now + SOON_MS);
  }
  await releaseEntities(env, incident);
}

/** Records that the recheck has started, so that a later recovery schedules another. */
const startRecheck = (
  { ports, keys }: Env,
  { tenant_id, incident_id }: IncidentKey,
): Promise<IncidentItem | undefined> =>
  retryOnConflict(ports, async () => {
    const incident = await ports.table.get<IncidentItem>(keys.incident(tenant_id, incident_id));
    if (!incident || incident.recheck_at === undefined) return incident;
    const { recheck_at: _begun, ...rest } = incident;
    const put = { ...rest, v: ports.ids.token() };
    return (await commit(ports, [{ put, if: { version: incident.v } }])).ok ? put : RETRY;
  });

async function repeatRecheck(env: Env, { recheck_at: _before, ...incident }: IncidentItem, at: number): Promise<void> {
  const { ports } = env;
  const put = { ...incident, ...(await scheduleRecheck(env, incident, at)), v: ports.ids.token() };
  // A concurrent change can schedule one more, which does no harm.
  await commit(ports, [{ put, if: { version: incident.v } }]);
}

/** `recovered_at`: last recovery (epoch ms). `hasPendingUpdate`: an update has not reached the incident yet. */
type EntityStatus = { down: true } | { recovered_at: number; hasPendingUpdate: boolean };

/** Reads the status of the entities of an incident. A deleted entity counts as recovered from the first such read. */
export async function entityStatus(env: Env, { tenant_id, id }: IncidentItem): Promise<EntityStatus> {
  const { ports, keys } = env;
  let recovered_at = 0;
  let hasPendingUpdate = false;
  const partition = keys.ofIncident(tenant_id, id);
  for await (const page of pagesOf<IncidentEntity>(ports.table, { partition, ...under(INCIDENT_ENTITIES) })) {
    const entities = await ports.table.getMany<EntityItem>(page.map((one) => keys.entity(tenant_id, one.entity_id)));
    for (const [i, one] of page.entries()) {
      const entity = entities[i];
      if (one.down_checks > 0 && entity) return { down: true };
      if (entity?.incident?.id === id && isDown(entity)) hasPendingUpdate = true;
      recovered_at = Math.max(recovered_at, one.down_checks > 0 ? await recordDeleted(env, one) : one.at);
    }
  }
  return { recovered_at, hasPendingUpdate };
}

async function recordDeleted({ ports }: Env, one: IncidentEntity): Promise<number> {
  const at = ports.clock.now();
  const put: IncidentEntity = { ...one, v: ports.ids.token(), at, down_checks: 0 };
  await commit(ports, [{ put, if: { version: one.v } }]);
  return at;
}

const isDown = ({ checks }: EntityItem): boolean => Object.values(checks).includes('down');

const AT_ONCE = 20;

/** Releases the entities of a resolved incident for the next one, unless they are down again. */
export async function releaseEntities(env: Env, { tenant_id, id, root_entity_id }: IncidentItem): Promise<void> {
  const { ports, keys } = env;
  const partition = keys.ofIncident(tenant_id, id);
  for await (const page of pagesOf<IncidentEntity>(ports.table, { partition, ...under(INCIDENT_ENTITIES) })) {
    for (const some of chunks(page, AT_ONCE))
      await Promise.all(some.map(({ entity_id }) => releaseEntity(env, tenant_id, id, entity_id)));
  }
  if (root_entity_id === null) return;
  // A suspected root cause that never failed itself has no recovery of its own.
  await retryOnConflict(ports, async () => {
    const failure = await ports.table.get<NotifiedFailureItem>(keys.notifiedFailure(tenant_id, root_entity_id));
    if (failure?.id !== id || failure.recovered_at !== undefined) return true;
    const now = ports.clock.now();
    const writes = notifiedFailureWrites(failure, { ...failure, recovered_at: now }, ports.ids.token(), now);
    return (await commit(ports, writes)).ok ? true : RETRY;
  });
}

const releaseEntity = ({ ports, keys }: Env, tenant: string, id: string, entity_id: string): Promise<true> =>
  retryOnConflict(ports, async () => {
    const entity = await ports.table.get<EntityItem>(keys.entity(tenant, entity_id));
    if (entity?.incident?.id !== id || isDown(entity)) return true;
    const { incident: _left, ...rest } = entity;
    const put = { ...rest, v: ports.ids.token() };
    return (await commit(ports, [{ put, if: { version: entity.v } }])).ok ? true : RETRY;
  });
