import * as z from 'zod';
import type { Audited } from '#lib/audit/write.ts';
import type { Entity } from '#lib/catalog/entity.ts';
import { EntityPath, entityPath, namesEntity } from '#lib/catalog/entity-path.ts';
import { CreatedAt, IdOf } from '#lib/platform/http/members.ts';
import { pick } from '#lib/platform/plain-data.ts';
import type { Item } from '#lib/platform/ports.ts';
import { Failure, NewFailure } from './failure.ts';

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

const Place = EntityPath.describe('In its place: the slugs of its blueprint and of itself, such as service/shop.');

const Stated = z.object({
  from_entity_id: Relating.shape.from_entity_id.optional(),
  from_entity: Place.optional(),
  to_entity_id: Relating.shape.to_entity_id.optional(),
  to_entity: Place.optional(),
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
