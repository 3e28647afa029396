import * as z from 'zod';
import type { Scope } from '#lib/access/context.ts';
import { invalid, notFound } from '#lib/platform/errors.ts';
import { memberOf } from '#lib/platform/plain-data.ts';
import type { Entity } from './entity.ts';
import type { EntityPointer } from './store.ts';

const SLUG = '[A-Za-z0-9][A-Za-z0-9._-]{0,63}';

/** How a request may name an entity in place of its id. */
export const EntityPath = z
  .string()
  .regex(
    new RegExp(`^${SLUG}/${SLUG}$`),
    'must be the slugs of a blueprint and of an entity of it, such as service/shop',
  );

/** The blueprint and the slug of an entity, which never change: `service/shop`. */
export const entityPath = ({ blueprint_slug, slug }: Pick<Entity, 'blueprint_slug' | 'slug'>): string =>
  `${blueprint_slug}/${slug}`;

/** The members of a request that name an entity, by its id and by its path. */
type Members = { id: string; path: string };
const OWN: Members = { id: 'entity_id', path: 'entity' };

/** A body that names an entity by its id, by its path, or by both. */
export const namesEntity = <Schema extends z.ZodType>(schema: Schema, members = OWN): Schema =>
  schema.refine((body) => isNamed(body, members), {
    path: [members.id],
    error: 'is required',
    // Also where something else of the body is wrong.
    when: () => true,
  });

const isNamed = (body: unknown, { id, path }: Members): boolean =>
  memberOf(body, id) !== undefined || memberOf(body, path) !== undefined;

/**
 * The id of the entity that a request names. An id alone is taken as it is. Throws NOT_FOUND for a path that leads
 * nowhere, VALIDATION_ERROR where id and path name two.
 */
export async function entityIdOf(
  { ports, keys, tenant }: Scope,
  named: { id?: string | undefined; path?: string | undefined },
  members = OWN,
): Promise<string> {
  const { id, path } = named;
  if (path === undefined) return id!;
  const [blueprint = '', slug = ''] = path.split('/');
  const pointer = await ports.table.get<EntityPointer>(keys.entitySlug(tenant, blueprint, slug));
  if (!pointer) throw notFound(`Entity ${path}`);
  if (id !== undefined && id !== pointer.entity_id) {
    throw invalid(members.path, `is ${pointer.entity_id}, and ${members.id} names another entity; give one of the two`);
  }
  return pointer.entity_id;
}
