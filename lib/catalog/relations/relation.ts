import * as z from 'zod';
import type { Audited } from '#lib/audit/write.ts';
import { CreatedAt, IdOf } from '#lib/platform/http/members.ts';
import { pick } from '#lib/platform/pick.ts';
import type { Item } from '#lib/platform/ports.ts';

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

export const NewRelation = Relating.refine((relation) => relation.from_entity_id !== relation.to_entity_id, {
  path: ['to_entity_id'],
  error: 'must be another entity than from_entity_id',
}).meta({ id: 'NewRelation' });
export type NewRelation = z.infer<typeof NewRelation>;

export const Relation = z
  .object({ id: IdOf('the relation'), ...Relating.shape, created_at: CreatedAt })
  .meta({ id: 'Relation' });
export type Relation = z.infer<typeof Relation>;

export const auditedRelation: Audited<Relation> = {
  type: 'relation',
  target: ({ id, from_entity_id, to_entity_id, relation_type }) => ({
    id,
    name: relation_type,
    within: [from_entity_id, to_entity_id],
  }),
  members: (relation) => pick(Relating, relation),
};

/** A relation, which never changes. It is visible as long as both of its entities are there. */
export type RelationItem = Item & Relation & { v: string };

/**
 * The relation where it starts and where it ends, under the entity there. The one at the start has the only key that a
 * relation of this type between these entities can have.
 */
export type RelationPointer = Item & Relation & { v: string };

export const relationRecord = (item: Relation): Relation => pick(Relation, item);
