import * as z from 'zod';
import type { Audited } from '#lib/audit/write.ts';
import type { Entity } from '#lib/catalog/entity.ts';
import { EntityPath, entityPath, withRequiredEntity } from '#lib/catalog/entity-path.ts';
import { invalid } from '#lib/platform/errors.ts';
import { CreatedAt, IdOf } from '#lib/platform/http/route.ts';
import { pick } from '#lib/platform/plain-data.ts';
import type { Item } from '#lib/platform/ports.ts';

const GROUP = /^[a-z0-9][a-z0-9_-]{0,63}$/;

/** Properties that decide whether a relation propagates failure from its second entity (to) to its first (from). */
export const FailurePropagation = z.object({
  propagates_failure: z
    .boolean()
    .describe(
      'Whether a failure of the second entity (to) can be the cause of failures of the first (from). Default: true for depends_on, else false.',
    ),
  group: z
    .string()
    .regex(GROUP, 'must have 1 to 64 lower-case letters, digits, "_" or "-" and begin with a letter or digit')
    .nullable()
    .describe(
      'Group of interchangeable relations of the first entity, such as replicas; null: the second entity has no replacement.',
    ),
  required: z
    .int()
    .min(1)
    .max(200)
    .nullable()
    .describe(
      'Minimum number of second entities in the group that have not failed. The lowest value in the group applies; 1 if all are null.',
    ),
  when: z
    .enum(['down', 'degraded'])
    .describe(
      'When the second entity counts as failed. down: if all its pull checks are down; without pull checks, all its push checks. degraded: if any of its checks is down.',
    ),
});
export type FailurePropagation = z.infer<typeof FailurePropagation>;

const NewFailurePropagation = FailurePropagation.partial();

/** Returns the failure properties with defaults. Throws VALIDATION_ERROR for contradictions. */
export function failurePropagationOf(
  relation_type: string,
  given: z.infer<typeof NewFailurePropagation>,
): FailurePropagation {
  const { propagates_failure = relation_type === 'depends_on', group = null, required = null, when = 'down' } = given;
  const requiresFailure = 'requires propagates_failure: true; set it or omit this property';
  if (!propagates_failure && group !== null) throw invalid('group', requiresFailure);
  if (!propagates_failure && given.when === 'degraded') throw invalid('when', requiresFailure);
  if (required !== null && group === null)
    throw invalid('required', 'requires a group; set group or omit this property');
  return { propagates_failure, group, required, when };
}

/** Throws if a group is smaller than its minimum. @param size number of its relations, including this one */
export function assertGroupSize({ group, required }: FailurePropagation, size: number): void {
  if (required === null || required <= size) return;
  throw invalid(
    'required',
    `is ${required}, but the size of the group ${group} is ${size} including this relation; create the other relations first, without required`,
  );
}

const RelationType = z
  .string()
  .regex(
    /^[a-z][a-z0-9_]{0,49}$/,
    'must have 1 to 50 lower-case letters, digits or "_" and begin with a letter, such as depends_on',
  )
  .describe('Type of the relation in your own words, such as depends_on.');

const RelationEnds = z.object({
  from_entity_id: IdOf('the first entity, at which the relation starts'),
  to_entity_id: IdOf('the second entity, to which it leads; must differ from the first'),
  relation_type: RelationType,
});

export const FROM = { id: 'from_entity_id', path: 'from_entity' } as const;
export const TO = { id: 'to_entity_id', path: 'to_entity' } as const;

const EntityPathInput = EntityPath.describe('Blueprint slug and entity slug, such as service/shop, instead of the id.');

const NewRelationInput = z.object({
  from_entity_id: RelationEnds.shape.from_entity_id.optional(),
  from_entity: EntityPathInput.optional(),
  to_entity_id: RelationEnds.shape.to_entity_id.optional(),
  to_entity: EntityPathInput.optional(),
  relation_type: RelationType,
  ...NewFailurePropagation.shape,
});

export const NewRelation = withRequiredEntity(withRequiredEntity(NewRelationInput, FROM), TO).meta({
  id: 'NewRelation',
});
export type NewRelation = z.infer<typeof NewRelation>;

const StoredRelation = z.object({
  id: IdOf('the relation'),
  ...RelationEnds.shape,
  ...FailurePropagation.shape,
  created_at: CreatedAt,
});
export type StoredRelation = z.infer<typeof StoredRelation>;

export const Relation = z
  .object({
    id: IdOf('the relation'),
    from_entity_id: RelationEnds.shape.from_entity_id,
    from_entity: z.string().describe('Blueprint slug and entity slug of the first entity: service/shop.'),
    to_entity_id: RelationEnds.shape.to_entity_id,
    to_entity: z.string().describe('Blueprint slug and entity slug of the second entity: service/database.'),
    relation_type: RelationType,
    ...FailurePropagation.shape,
    created_at: CreatedAt,
  })
  .meta({ id: 'Relation' });
export type Relation = z.infer<typeof Relation>;

const AuditedProperties = z.object({ ...RelationEnds.shape, ...FailurePropagation.shape });

export const auditedRelation: Audited<StoredRelation> = {
  type: 'relation',
  target: ({ id, from_entity_id, to_entity_id, relation_type }) => ({
    id,
    name: relation_type,
    within: [from_entity_id, to_entity_id],
  }),
  properties: (relation) => pick(AuditedProperties, relation),
};

/** Immutable relation, visible while both of its entities exist. */
export type RelationItem = Item & StoredRelation & { v: string };

/** Copy of a relation under each of its entities; the key under the first makes it unique by type and entities. */
export type RelationCopy = RelationItem;

type EntitySlugs = Pick<Entity, 'blueprint_slug' | 'slug'>;

export const relationRecord = (item: StoredRelation, from: EntitySlugs, to: EntitySlugs): Relation =>
  pick(Relation, { ...item, from_entity: entityPath(from), to_entity: entityPath(to) });
