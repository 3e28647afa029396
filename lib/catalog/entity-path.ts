import * as z from 'zod';
import type { TenantScope } from '#lib/access/context.ts';
import { invalid, notFound } from '#lib/platform/errors.ts';
import { memberOf } from '#lib/platform/plain-data.ts';
import type { Entity } from './entity.ts';
import type { EntityPointer } from './store.ts';

const SLUG = '[A-Za-z0-9][A-Za-z0-9._-]{0,63}';

/** Path that identifies an entity instead of its id: `service/shop`. */
export const EntityPath = z
  .string()
  .regex(new RegExp(`^${SLUG}/${SLUG}$`), 'must be a blueprint slug and an entity slug, such as service/shop');

/** Returns the path of an entity, which never changes: `service/shop`. */
export const entityPath = ({ blueprint_slug, slug }: Pick<Entity, 'blueprint_slug' | 'slug'>): string =>
  `${blueprint_slug}/${slug}`;

type PropertyNames = { id: string; path: string };
const ENTITY: PropertyNames = { id: 'entity_id', path: 'entity' };

/** Returns a schema that also requires the id or the path of an entity; both are accepted. */
export const withRequiredEntity = <Schema extends z.ZodType>(schema: Schema, names = ENTITY): Schema =>
  schema.refine((body) => hasEntity(body, names), {
    path: [names.id],
    error: `is required, unless ${names.path} is given`,
    // Reports it even if other properties are not valid.
    when: () => true,
  });

const hasEntity = (body: unknown, { id, path }: PropertyNames): boolean =>
  memberOf(body, id) !== undefined || memberOf(body, path) !== undefined;

/** Returns the id of an entity; an id alone is not looked up. Throws NOT_FOUND, VALIDATION_ERROR if both differ. */
export async function entityIdOf(
  { ports, keys, tenant }: TenantScope,
  entity: { id?: string | undefined; path?: string | undefined },
  names = ENTITY,
): Promise<string> {
  const { id, path } = entity;
  if (path === undefined) return id!;
  const [blueprint = '', slug = ''] = path.split('/');
  const pointer = await ports.table.get<EntityPointer>(keys.entitySlug(tenant, blueprint, slug));
  if (!pointer) throw notFound(`Entity ${path}`);
  if (id !== undefined && id !== pointer.entity_id) {
    throw invalid(names.path, `is ${pointer.entity_id}, but ${names.id} is another entity; send only one of the two`);
  }
  return pointer.entity_id;
}
