import * as z from 'zod';
import type { Audited } from '#lib/audit/write.ts';
import type { Entity } from '#lib/catalog/entity.ts';
import { EntityPath, entityPath, namesEntity } from '#lib/catalog/entity-path.ts';
import { invalid } from '#lib/platform/errors.ts';
import { CreatedAt, IdOf } from '#lib/platform/http/route.ts';
import { pick } from '#lib/platform/plain-data.ts';
import type { Item } from '#lib/platform/ports.ts';

const GROUP = /^[a-z0-9][a-z0-9_-]{0,63}$/;

/** What a relation says of failure: whether the first entity fails when the second one does. */
export const Failure = z.object({
  propagates_failure: z
    .boolean()
    .describe(
      'Whether the first fails when the second does: its alerts then name the cause, and follow one alert of that. True of depends_on, else false, unless it is given.',
    ),
  group: z
    .string()
    .regex(GROUP, 'must have 1 to 64 small letters, digits, "_" or "-" and begin with a letter or digit')
    .nullable()
    .describe(
      'Relations of the first entity with the same group stand in for each other, such as replicas. Null: it is needed by itself.',
    ),
  required: z
    .int()
    .min(1)
    .max(200)
    .nullable()
    .describe(
      'How many of its group have to be well; null: as another of the group says, else 1. Where several say it, the least counts.',
    ),
  when: z
    .enum(['down', 'degraded'])
    .describe('When the second counts as failed: all of its checks are down, or any of them (degraded).'),
});
export type Failure = z.infer<typeof Failure>;

const NewFailure = Failure.partial();

/** What is stored of it, defaults filled in. Throws VALIDATION_ERROR for what contradicts itself. */
export function failureOf(relation_type: string, stated: z.infer<typeof NewFailure>): Failure {
  const { propagates_failure = relation_type === 'depends_on', group = null, required = null, when = 'down' } = stated;
  const idle = 'is of use only where failure is carried; set propagates_failure to true or leave it out';
  if (!propagates_failure && group !== null) throw invalid('group', idle);
  if (!propagates_failure && stated.when === 'degraded') throw invalid('when', idle);
  if (required !== null && group === null)
    throw invalid('required', 'is about a group; name one in group or leave it out');
  return { propagates_failure, group, required, when };
}

/** Refuses a group that could never be whole. @param members that it has, this one among them */
export function assertReachable({ group, required }: Failure, members: number): void {
  if (required === null || required <= members) return;
  throw invalid(
    'required',
    `is ${required}, but the group ${group} of this entity has ${members} with this one; relate the others first, without required`,
  );
}

const RelationType = z
  .string()
  .regex(
    /^[a-z][a-z0-9_]{0,49}$/,
    'must have 1 to 50 small letters, digits or "_" and begin with a letter, such as depends_on',
  )
  .describe('How the first relates to the second, in a word of your own such as depends_on.');

const Relating = z.object({
  from_entity_id: IdOf('the entity that the relation starts at'),
  to_entity_id: IdOf('the entity that it leads to; another one'),
  relation_type: RelationType,
});

/** The members of a request that name the two entities. */
export const FROM = { id: 'from_entity_id', path: 'from_entity' } as const;
export const TO = { id: 'to_entity_id', path: 'to_entity' } as const;

const EntityPathInput = EntityPath.describe(
  'In its place: the slugs of its blueprint and of itself, such as service/shop.',
);

const Stated = z.object({
  from_entity_id: Relating.shape.from_entity_id.optional(),
  from_entity: EntityPathInput.optional(),
  to_entity_id: Relating.shape.to_entity_id.optional(),
  to_entity: EntityPathInput.optional(),
  relation_type: RelationType,
  ...NewFailure.shape,
});

export const NewRelation = namesEntity(namesEntity(Stated, FROM), TO).meta({ id: 'NewRelation' });
export type NewRelation = z.infer<typeof NewRelation>;

/** What is stored of a relation. */
const StoredRelation = z.object({
  id: IdOf('the relation'),
  ...Relating.shape,
  ...Failure.shape,
  created_at: CreatedAt,
});
export type StoredRelation = z.infer<typeof StoredRelation>;

export const Relation = z
  .object({
    id: IdOf('the relation'),
    from_entity_id: Relating.shape.from_entity_id,
    from_entity: z.string().describe('Slugs of its blueprint and of itself: service/shop.'),
    to_entity_id: Relating.shape.to_entity_id,
    to_entity: z.string().describe('Slugs of its blueprint and of itself: service/database.'),
    relation_type: RelationType,
    ...Failure.shape,
    created_at: CreatedAt,
  })
  .meta({ id: 'Relation' });
export type Relation = z.infer<typeof Relation>;

const Noted = z.object({ ...Relating.shape, ...Failure.shape });

export const auditedRelation: Audited<StoredRelation> = {
  type: 'relation',
  target: ({ id, from_entity_id, to_entity_id, relation_type }) => ({
    id,
    name: relation_type,
    within: [from_entity_id, to_entity_id],
  }),
  members: (relation) => pick(Noted, relation),
};

/** A relation, which never changes. It is visible as long as both of its entities are there. */
export type RelationItem = Item & StoredRelation & { v: string };

/**
 * The relation where it starts and where it ends, under the entity there. The one at the start has the only key that a
 * relation of this type between these entities can have.
 */
export type RelationPointer = Item & StoredRelation & { v: string };

type Named = Pick<Entity, 'blueprint_slug' | 'slug'>;

/** A relation as the API shows it, with the two entities. */
export const relationRecord = (item: StoredRelation, from: Named, to: Named): Relation =>
  pick(Relation, { ...item, from_entity: entityPath(from), to_entity: entityPath(to) });
