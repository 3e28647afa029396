import * as z from 'zod';
import type { TenantScope } from '#lib/access/context.ts';
import { invalid, notFound } from '#lib/platform/errors.ts';
import { memberOf } from '#lib/platform/plain-data.ts';
import type { Entity } from './entity.ts';
import type { EntityPointer } from './store.ts';

const SLUG = '[A-Za-z0-9][A-Za-z0-9._-]{0,63}';

/** Path that names an entity instead of its id. */
export const EntityPath = z
  .string()
  .regex(
    new RegExp(`^${SLUG}/${SLUG}$`),
    'must be the slugs of a blueprint and of an entity of it, such as service/shop',
  );

/** Returns blueprint and slug of an entity, which never change: `service/shop`. */
export const entityPath = ({ blueprint_slug, slug }: Pick<Entity, 'blueprint_slug' | 'slug'>): string =>
  `${blueprint_slug}/${slug}`;

type Members = { id: string; path: string };
const OWN: Members = { id: 'entity_id', path: 'entity' };

/** Requires that a body names an entity by id, by path, or both. */
export const requiresEntity = <Schema extends z.ZodType>(schema: Schema, members = OWN): Schema =>
  schema.refine((body) => isNamed(body, members), {
    path: [members.id],
    error: 'is required',
    // Reported also if other properties are not valid.
    when: () => true,
  });

const isNamed = (body: unknown, { id, path }: Members): boolean =>
  memberOf(body, id) !== undefined || memberOf(body, path) !== undefined;

/** Returns the id of the named entity. Throws NOT_FOUND (path), VALIDATION_ERROR if id and path differ. */
export async function entityIdOf(
  { ports, keys, tenant }: TenantScope,
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
