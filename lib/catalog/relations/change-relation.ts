import type { AccountItem } from '#lib/access/account.ts';
import { auditing } from '#lib/access/auditing.ts';
import type { Changing } from '#lib/access/context.ts';
import type { EntityItem } from '#lib/catalog/entity-item.ts';
import { entityIdOf } from '#lib/catalog/entity-path.ts';
import { AppError, invalid, notFound } from '#lib/platform/errors.ts';
import { oneAtATime } from '#lib/platform/table/lock.ts';
import { AGAIN, commit, untilDone } from '#lib/platform/table/retry.ts';
import { iso } from '#lib/platform/time.ts';
import { countDependencies } from './dependency-count.ts';
import { failureOf, mustBeReachable } from './failure.ts';
import {
  auditedRelation,
  FROM,
  type NewRelation,
  type Relation,
  type RelationItem,
  type RelationPointer,
  relationRecord,
  TO,
} from './relation.ts';
import { countRelations, type RelationCountItem } from './relation-count.ts';
import { membersOfGroup, pointerKeys } from './relation-store.ts';

/**
 * Relates two entities. Never made for an entity that is deleted at that moment: both are held to the versions read
 * here. Throws NOT_FOUND (either entity), CONFLICT (there is one of this type between them in this direction),
 * LIMIT_EXCEEDED, VALIDATION_ERROR.
 */
export async function createRelation(scope: Changing, input: NewRelation): Promise<Relation> {
  const { ports, keys, tenant } = scope;
  const { relation_type } = input;
  const [from_entity_id, to_entity_id] = await Promise.all([
    entityIdOf(scope, { id: input.from_entity_id, path: input.from_entity }, FROM),
    entityIdOf(scope, { id: input.to_entity_id, path: input.to_entity }, TO),
  ]);
  if (from_entity_id === to_entity_id) throw invalid(TO.id, `must be another entity than ${FROM.id}`);
  const id = ports.ids.id('rel');
  const created_at = iso(ports.clock.now());
  const failure = failureOf(relation_type, input);
  const record = { id, from_entity_id, to_entity_id, relation_type, ...failure, created_at };
  const v = ports.ids.token();
  const note = auditing(scope, 'create', auditedRelation);
  const relation: RelationItem = { ...keys.relation(tenant, id), v, ...record };
  const pointers = pointerKeys(scope, record).map((key): RelationPointer => ({ ...key, v, ...record }));

  const attempt = async () => {
    const [from, to, taken, account, count] = await ports.table.getMany<
      [EntityItem, EntityItem, RelationPointer, AccountItem, RelationCountItem]
    >([
      keys.entity(tenant, from_entity_id),
      keys.entity(tenant, to_entity_id),
      pointers[0]!,
      keys.account(tenant),
      keys.relationCount(tenant),
    ]);
    if (!from) throw notFound(`Entity ${from_entity_id}`);
    if (!to) throw notFound(`Entity ${to_entity_id}`);
    // With one's own version it was made by a try before, whose answer was lost.
    if (taken?.v === v) return relationRecord(relation, from, to);
    if (taken) {
      const which = `${relation_type} from ${from_entity_id} to ${to_entity_id}`;
      throw new AppError('CONFLICT', `There is a relation ${which} already: ${taken.id}.`);
    }
    mustBeReachable(failure, 1 + (await membersOfGroup(scope, from_entity_id, failure)));
    const unchanged = [from, to].map(({ pk, sk, v: read }) => ({ check: { pk, sk }, if: { version: read } }));
    const outcome = await commit(ports, [
      { put: relation, if: 'absent' },
      ...pointers.map((put) => ({ put, if: 'absent' as const })),
      ...(failure.carries_failure ? countDependencies(ports, [relation], [from, to], +1) : unchanged),
      countRelations(scope, count, +1, account!),
      ...note(undefined, relation),
    ]);
    return outcome.ok ? relationRecord(relation, from, to) : AGAIN;
  };
  return oneAtATime(ports.table, `${tenant} relations`, () => untilDone(ports, attempt));
}
