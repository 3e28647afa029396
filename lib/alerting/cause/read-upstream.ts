import { setImmediate as nextTurn } from 'node:timers/promises';
import type { TenantEnv } from '#lib/access/context.ts';
import type { NotifiedFailureItem } from '#lib/alerting/decide/notified-failure.ts';
import type { EntityItem } from '#lib/catalog/entity.ts';
import { firstRelationsFrom } from '#lib/catalog/relations/relation-store.ts';
import type { CheckItem } from '#lib/checks/check-item.ts';
import { checksOf } from '#lib/checks/settings/store.ts';
import type { Table } from '#lib/platform/ports.ts';
import { FairSemaphore, NO_PERMIT } from '#lib/platform/sharing/fair-semaphore.ts';
import { type Dependency, type Graph, MAX_RELATIONS, walkUpstream } from './graph.ts';

export type UpstreamEntities = {
  graph: Graph;
  /** Includes the entity itself. */
  entities: ReadonlyMap<string, EntityItem>;
  /** Checks by entity, without the entity itself. */
  checks: ReadonlyMap<string, CheckItem[]>;
  /** Notified failures by entity, with the entity itself. */
  notifiedFailures: ReadonlyMap<string, NotifiedFailureItem>;
};

/** Maximum wait for a turn (ms), and maximum age of shared reads (ms). */
const [WAIT_MS, SHARED_MS] = [10_000, 1_000];

/** Items by entity that the evaluations of a tenant share. `read_at`: start of the first read (epoch ms). */
type SharedRead = {
  read_at: number;
  entities: Map<string, EntityItem | undefined>;
  dependencies: Map<string, Dependency[] | undefined>;
  checks: Map<string, CheckItem[]>;
  notifiedFailures: Map<string, NotifiedFailureItem | undefined>;
};

/** Evaluations of a tenant that wait for their turns, by entity, and what they share. */
type Batch = { shared: SharedRead | undefined; reads: Map<string, Promise<UpstreamEntities | typeof NO_PERMIT>> };
type Process = { turns: FairSemaphore; open: Map<string, Batch> };
const processes = new WeakMap<Pick<Table, 'get'>, Process>();

/**
 * Reads the entities, relations, checks and notified failures upstream of an entity. Tenants take turns, one entity per
 * turn. Evaluations that wait together share reads. A shared read begins after the call, and is at most a second old at
 * the start of a turn.
 * @returns undefined if no turn came in time: evaluate again later
 */
export async function readUpstream(env: TenantEnv, start: string): Promise<UpstreamEntities | undefined> {
  const { ports, tenant } = env;
  const process = processes.get(ports.table) ?? {
    turns: new FairSemaphore({ permits: 1, wait_ms: WAIT_MS }, ports.clock),
    open: new Map<string, Batch>(),
  };
  processes.set(ports.table, process);
  const batch = process.open.get(tenant) ?? { shared: undefined, reads: new Map() };
  process.open.set(tenant, batch);
  const read = batch.reads.get(start) ?? process.turns.run({ tenant }, () => takeTurn(env, process, batch, start));
  batch.reads.set(start, read);
  const found = await read;
  if (found === NO_PERMIT) {
    // Later calls must not join a batch in which nothing begins.
    if (process.open.get(tenant) === batch) process.open.delete(tenant);
    return undefined;
  }
  return found;
}

async function takeTurn(env: TenantEnv, { open }: Process, batch: Batch, start: string): Promise<UpstreamEntities> {
  const { ports, tenant } = env;
  if (open.get(tenant) === batch) open.delete(tenant);
  const now = ports.clock.now();
  if (!batch.shared || now - batch.shared.read_at >= SHARED_MS) {
    const [entities, dependencies, checks, notifiedFailures] = [new Map(), new Map(), new Map(), new Map()];
    batch.shared = { read_at: now, entities, dependencies, checks, notifiedFailures };
  }
  const found = await readOne(env, batch.shared, start);
  if (found.graph.truncated)
    ports.log.info('upstream entities beyond the limit left out', { tenant, entity_id: start });
  // The evaluation of one entity can take 20 ms: other work runs before the next one.
  if (batch.reads.size > 1) await nextTurn();
  return found;
}

async function readOne(env: TenantEnv, shared: SharedRead, start: string): Promise<UpstreamEntities> {
  const { ports, keys, tenant } = env;
  const graph = await walkUpstream(start, async (ids) => {
    await addMissing(shared.entities, ids, (missing) =>
      ports.table.getMany<EntityItem>(missing.map((id) => keys.entity(tenant, id))),
    );
    await addMissing(shared.dependencies, ids, (missing) =>
      Promise.all(missing.map((id) => dependenciesOf(env, shared.entities.get(id)))),
    );
    return ids.map((id) => shared.dependencies.get(id));
  });
  const ids = [...graph.dependencies.keys()];
  const entities = new Map(ids.map((id) => [id, shared.entities.get(id)!]));
  const upstream = ids.filter((id) => id !== start);
  await Promise.all([
    addMissing(shared.checks, upstream, async (missing) => {
      const found = await checksOf(
        env,
        missing.map((id) => entities.get(id)!),
      );
      const byEntity = Map.groupBy(found, ({ entity_id }) => entity_id);
      return missing.map((id) => byEntity.get(id) ?? []);
    }),
    addMissing(shared.notifiedFailures, ids, (missing) =>
      ports.table.getMany<NotifiedFailureItem>(missing.map((id) => keys.notifiedFailure(tenant, id))),
    ),
  ]);
  const checks = upstream.map((id) => [id, shared.checks.get(id)!] as const);
  return {
    graph,
    entities,
    checks: new Map(checks.filter(([, own]) => own.length > 0)),
    notifiedFailures: new Map(
      ids.flatMap((id) => (shared.notifiedFailures.get(id) ? [[id, shared.notifiedFailures.get(id)!]] : [])),
    ),
  };
}

async function addMissing<T>(
  known: Map<string, T>,
  ids: readonly string[],
  read: (missing: string[]) => Promise<readonly T[]>,
): Promise<void> {
  const missing = ids.filter((id) => !known.has(id));
  if (missing.length === 0) return;
  const found = await read(missing);
  for (const [i, id] of missing.entries()) known.set(id, found[i]!);
}

async function dependenciesOf(env: TenantEnv, entity: EntityItem | undefined): Promise<Dependency[] | undefined> {
  if (!entity || entity.dependencies === 0) return entity && [];
  const relations = await firstRelationsFrom(env, entity.id, MAX_RELATIONS);
  return relations.filter(({ propagates_failure }) => propagates_failure);
}
