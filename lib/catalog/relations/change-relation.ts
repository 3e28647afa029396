import type { AccountItem } from '#lib/access/account.ts';
import { auditWriter } from '#lib/access/audit-writer.ts';
import type { MutationContext, TenantEnv, TenantScope } from '#lib/access/context.ts';
import type { EntityItem } from '#lib/catalog/entity.ts';
import { entityIdOf } from '#lib/catalog/entity-path.ts';
import type { Ports } from '#lib/env.ts';
import { WRITTEN_MS, wakeMessage } from '#lib/messages.ts';
import { AppError, invalid, notFound } from '#lib/platform/errors.ts';
import type { Item, Write } from '#lib/platform/ports.ts';
import { commit, oneAtATime, RETRY, retryOnConflict } from '#lib/platform/table/retry.ts';
import { iso } from '#lib/platform/time.ts';
import {
  assertGroupSize,
  auditedRelation,
  FROM,
  failurePropagationOf,
  type NewRelation,
  type Relation,
  type RelationCopy,
  type RelationItem,
  relationRecord,
  type StoredRelation,
  TO,
} from './relation.ts';
import { copyKeys, groupSizeOf, requireRelation } from './relation-store.ts';

const dependencyCountWrites = (
  { ids }: Pick<Ports, 'ids'>,
  relations: readonly StoredRelation[],
  entities: readonly EntityItem[],
  step: 1 | -1,
): Write[] =>
  entities.flatMap((entity) => {
    const propagating = relations.filter((relation) => relation.propagates_failure);
    const out = propagating.filter((relation) => relation.from_entity_id === entity.id).length;
    const into = propagating.filter((relation) => relation.to_entity_id === entity.id).length;
    if (out + into === 0) return [];
    const put: EntityItem = {
      ...entity,
      v: ids.token(),
      dependencies: entity.dependencies + step * out,
      dependents: entity.dependents + step * into,
    };
    return [{ put, if: { version: entity.v } }];
  });

/** Number of relations of an account, including unreclaimed relations of deleted entities. About 100 bytes. */
export type RelationCountItem = Item & { v: string; count: number };

function relationCountWrite(
  { ports, keys, tenant }: Pick<TenantScope, 'ports' | 'keys' | 'tenant'>,
  before: RelationCountItem | undefined,
  step: number,
  account?: Pick<AccountItem, 'relation_limit'>,
): Write {
  const count = (before?.count ?? 0) + step;
  if (account && count > account.relation_limit) {
    throw new AppError(
      'LIMIT_EXCEEDED',
      `The account has the maximum of ${account.relation_limit} relations (relation_limit). Delete one or ask the operator for more.`,
    );
  }
  const put: RelationCountItem = { ...keys.relationCount(tenant), v: ports.ids.token(), count };
  return { put, if: before ? { version: before.v } : 'absent' };
}

/** Creates a relation between two existing entities. Throws NOT_FOUND, CONFLICT, LIMIT_EXCEEDED, VALIDATION_ERROR. */
export async function createRelation(scope: MutationContext, input: NewRelation): Promise<Relation> {
  const { ports, keys, tenant } = scope;
  const { relation_type } = input;
  const [from_entity_id, to_entity_id] = await Promise.all([
    entityIdOf(scope, { id: input.from_entity_id, path: input.from_entity }, FROM),
    entityIdOf(scope, { id: input.to_entity_id, path: input.to_entity }, TO),
  ]);
  if (from_entity_id === to_entity_id) throw invalid(TO.id, `must differ from ${FROM.id}`);
  const id = ports.ids.id('rel');
  const created_at = iso(ports.clock.now());
  const failure = failurePropagationOf(relation_type, input);
  const record = { id, from_entity_id, to_entity_id, relation_type, ...failure, created_at };
  const v = ports.ids.token();
  const auditWrites = auditWriter(scope, 'create', auditedRelation);
  const relation: RelationItem = { ...keys.relation(tenant, id), v, ...record };
  const copies = copyKeys(scope, record).map((key): RelationCopy => ({ ...key, v, ...record }));

  const attempt = async () => {
    const [from, to, taken, account, count] = await ports.table.getMany<
      [EntityItem, EntityItem, RelationCopy, AccountItem, RelationCountItem]
    >([
      keys.entity(tenant, from_entity_id),
      keys.entity(tenant, to_entity_id),
      copies[0]!,
      keys.account(tenant),
      keys.relationCount(tenant),
    ]);
    if (!from) throw notFound(`Entity ${from_entity_id}`);
    if (!to) throw notFound(`Entity ${to_entity_id}`);
    // The same version means an earlier attempt whose response was lost.
    if (taken?.v === v) return relationRecord(relation, from, to);
    if (taken) {
      const which = `${relation_type} from ${from_entity_id} to ${to_entity_id}`;
      throw new AppError('CONFLICT', `There is a relation ${which} already: ${taken.id}.`);
    }
    assertGroupSize(failure, 1 + (await groupSizeOf(scope, from_entity_id, failure)));
    const unchanged = [from, to].map(({ pk, sk, v: read }) => ({ check: { pk, sk }, if: { version: read } }));
    const outcome = await commit(ports, [
      { put: relation, if: 'absent' },
      ...copies.map((put) => ({ put, if: 'absent' as const })),
      ...(failure.propagates_failure ? dependencyCountWrites(ports, [relation], [from, to], +1) : unchanged),
      relationCountWrite(scope, count, +1, account!),
      ...auditWrites(undefined, relation),
    ]);
    return outcome.ok ? relationRecord(relation, from, to) : RETRY;
  };
  return oneAtATime(ports.table, `${tenant} relations`, () => retryOnConflict(ports, attempt));
}

/** Deletes a relation and rechecks the alerts that it held or suppressed. Throws NOT_FOUND. */
export async function deleteRelation(scope: TenantEnv & MutationContext, id: string): Promise<void> {
  const { ports, keys, tenant } = scope;
  const auditWrites = auditWriter(scope, 'delete', auditedRelation);
  await retryOnConflict(ports, async () => {
    const { relation, from, to } = await requireRelation(scope, id);
    const count = await ports.table.get<RelationCountItem>(keys.relationCount(tenant));
    const now = ports.clock.now();
    const wakes = relation.propagates_failure;
    if (wakes) await ports.queues.send('deadline', [wakeMessage(tenant, now, WRITTEN_MS)]);
    const outcome = await commit(ports, [
      // Conditional on its version: if it was deleted and created again meanwhile, the copies belong to the new one.
      { delete: keys.relation(tenant, id), if: { version: relation.v } },
      ...copyKeys(scope, relation).map((key) => ({ delete: key })),
      ...dependencyCountWrites(ports, [relation], [from, to], -1),
      relationCountWrite(scope, count, -1),
      ...auditWrites(relation, undefined),
    ]);
    if (!outcome.ok) return RETRY;
    if (wakes) await ports.queues.send('deadline', [wakeMessage(tenant, now)]);
    return true;
  });
}

/** Relations per transaction of at most 100 writes: three deletes and the other entity for each, and one count. */
const RELATIONS_AT_ONCE = 24;

/**
 * Deletes the relations of a deleted entity. Does nothing if the entity exists, because the housekeeping message that
 * calls this is sent before the deletion. Repeatable.
 */
export async function reclaimRelations(scope: TenantScope, entityId: string): Promise<void> {
  const { ports, keys, tenant } = scope;
  if (await ports.table.get(keys.entity(tenant, entityId))) return;
  // Conditional on each relation, so that it is counted once if both of its entities are deleted.
  const round = async () => {
    const { items, next } = await ports.table.query<RelationCopy>({
      partition: keys.relationsOf(tenant, entityId),
      limit: RELATIONS_AT_ONCE,
    });
    if (items.length === 0) return false;
    const others = new Set(
      items.map((one) => (one.from_entity_id === entityId ? one.to_entity_id : one.from_entity_id)),
    );
    const found = await ports.table.getMany<EntityItem>([...others].map((id) => keys.entity(tenant, id)));
    const present = found.filter((entity) => entity !== undefined);
    const count = await ports.table.get<RelationCountItem>(keys.relationCount(tenant));
    const outcome = await commit(ports, [
      ...items.flatMap((copy): Write[] => [
        { delete: keys.relation(tenant, copy.id), if: { version: copy.v } },
        ...copyKeys(scope, copy).map((key) => ({ delete: key })),
      ]),
      ...dependencyCountWrites(ports, items, present, -1),
      relationCountWrite(scope, count, -items.length),
    ]);
    return outcome.ok ? next !== undefined : RETRY;
  };
  while (await retryOnConflict(ports, round));
}
