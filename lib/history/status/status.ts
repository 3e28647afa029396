import * as z from 'zod';
import type { Context } from '#lib/access/context.ts';
import type { BlueprintItem } from '#lib/catalog/blueprint.ts';
import { Entity, type EntityItem, entityRecord } from '#lib/catalog/entity.ts';
import { EntityFilter, fitsEntity, hasCondition } from '#lib/catalog/entity-filter.ts';
import type { EntityState } from '#lib/catalog/states.ts';
import { allBlueprints, entitiesById } from '#lib/catalog/store.ts';
import { notFound } from '#lib/platform/errors.ts';
import { gather, type Reader } from '#lib/platform/http/paging.ts';
import { Slugs } from '#lib/platform/http/query-params.ts';
import { filtered, pagesOf } from '#lib/platform/table/pages.ts';
import { mapYielding } from '#lib/platform/yielding.ts';
import { staleChecks } from './newest-results.ts';

const StatusEntity = Entity.extend({
  stale: z.boolean().describe('Whether the service is late with its probes, so that the state may be outdated.'),
}).meta({ id: 'StatusEntity' });
type StatusEntity = z.infer<typeof StatusEntity>;

const Counts = z.object({
  total: z.int().describe('Number of entities, over all pages; absent with counts=false, as are all counts.'),
  up: z.int().describe('Number of entities that are up.'),
  degraded: z.int().describe('Number of entities that are degraded.'),
  down: z.int().describe('Number of entities that are down.'),
  unknown: z.int().describe('Number of entities that are unknown.'),
});
type Counts = z.infer<typeof Counts>;

/** Filter of entities; all conditions must match. */
export const StatusFilter = EntityFilter.extend({
  blueprint: Slugs.describe('Only entities of these blueprints, by slug: `service,database`.').optional(),
});
type StatusFilter = z.output<typeof StatusFilter>;

const fits = (entity: EntityItem, wanted: StatusFilter): boolean =>
  (wanted.blueprint === undefined || wanted.blueprint.includes(entity.blueprint_slug)) && fitsEntity(entity, wanted);

/** Page of entities with states (docs/use/states-and-history.md#states), and counts over all matching entities. */
export const Status = z
  .object({
    entities: z.array(StatusEntity).describe('Page of entities, by id.'),
    ...Counts.partial().shape,
  })
  .meta({ id: 'Status' });
export type Status = z.infer<typeof Status>;

/**
 * Returns a page of the entities by id, and the counts. If the page contains all entities, it is counted; else the
 * counts read all entities. `counts`: false omits them. `next`: the position of the next page, if any. Throws NOT_FOUND
 * if a blueprint does not exist.
 */
export async function readStatus(
  context: Context,
  query: {
    after?: string | undefined;
    limit?: number;
    maxBytes?: number;
    counts?: boolean;
    wanted?: StatusFilter;
  } = {},
): Promise<{ status: Status; next: string | undefined }> {
  const { counts: isCounted = true, wanted = {}, ...page } = query;
  await assertExists(context, wanted.blueprint ?? []);
  const read = statusEntities(context, await staleChecks(context), wanted);
  const { values: entities, next } = await gather(read, page);
  if (!isCounted) return { status: { entities }, next };
  const isAll = page.after === undefined && next === undefined;
  const counts = isAll ? entities.reduce(counted, noCounts()) : await countAll(context, wanted);
  return { status: { entities, ...counts }, next };
}

async function assertExists(context: Context, slugs: readonly string[]): Promise<void> {
  if (slugs.length === 0) return;
  const blueprints = await allBlueprints(context);
  for (const slug of slugs) if (!blueprints.has(slug)) throw notFound(`Blueprint ${slug}`);
}

function statusEntities(
  context: Context,
  isStale: (checkId: string) => boolean,
  wanted: StatusFilter,
): Reader<StatusEntity> {
  let blueprints = new Map<string, BlueprintItem>();
  const page = (after: string | undefined, limit: number) => entitiesById(context, { after }, limit);
  const read = hasCondition(wanted) ? filtered(page, (entity) => fits(entity, wanted)) : page;
  return async (after, limit) => {
    const { items, ...rest } = await read(after, limit);
    // Read after the entities, so that it contains the blueprint of each.
    if (items.some(({ blueprint_slug }) => !blueprints.has(blueprint_slug))) blueprints = await allBlueprints(context);
    const now = context.ports.clock.now();
    const found = await mapYielding(items, (item) => {
      const record = entityRecord(item, blueprints.get(item.blueprint_slug) ?? { fields: [] }, now);
      return { at: item.sk, value: { ...record, stale: Object.keys(item.checks).some(isStale) } };
    });
    return { ...rest, found };
  };
}

const noCounts = (): Counts => ({ total: 0, up: 0, degraded: 0, down: 0, unknown: 0 });

function counted(counts: Counts, { state }: { state: EntityState }): Counts {
  counts.total += 1;
  counts[state] += 1;
  return counts;
}

async function countAll({ ports, keys, tenant }: Context, wanted: StatusFilter): Promise<Counts> {
  const counts = noCounts();
  await Promise.all(
    keys.buckets.map(async (bucket) => {
      const entities = { partition: keys.entities(tenant, bucket) };
      for await (const page of pagesOf<EntityItem>(ports.table, entities))
        page.filter((entity) => fits(entity, wanted)).reduce(counted, counts);
    }),
  );
  return counts;
}
