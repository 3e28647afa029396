import * as z from 'zod';
import type { Context } from '#lib/access/context.ts';
import { redactUrls, seesSecrets } from '#lib/access/redaction.ts';
import type { BlueprintItem } from '#lib/catalog/blueprint.ts';
import { Entity, type EntityItem, entityRecord } from '#lib/catalog/entity.ts';
import { EntityFilter, hasCondition, matchesEntityFilter } from '#lib/catalog/entity-filter.ts';
import type { CheckState, EntityState } from '#lib/catalog/states.ts';
import { allBlueprints, entityPage } from '#lib/catalog/store.ts';
import type { CheckItem } from '#lib/checks/check-item.ts';
import { notFound } from '#lib/platform/errors.ts';
import { gather, type Reader } from '#lib/platform/http/paging.ts';
import { Slugs } from '#lib/platform/http/query-params.ts';
import { filtered, pagesOf } from '#lib/platform/table/pages.ts';
import { mapYielding } from '#lib/platform/yielding.ts';
import { StaleInList, staleChecks } from './newest-results.ts';

const StatusEntity = Entity.extend({
  error_message: z
    .string()
    .describe('Error with which its worst check entered its current state; empty while the entity is up or unknown.'),
  ...StaleInList.shape,
}).meta({ id: 'StatusEntity' });
type StatusEntity = z.infer<typeof StatusEntity>;

const Counts = z.object({
  total: z.int().describe('Number of matching entities, over all pages; absent with counts=false, as are all counts.'),
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
  (wanted.blueprint === undefined || wanted.blueprint.includes(entity.blueprint_slug)) &&
  matchesEntityFilter(entity, wanted);

/** Page of entities with states (docs/use/states-and-history.md#states), and counts over all matching entities. */
export const Status = z
  .object({
    entities: z.array(StatusEntity).describe('Page of entities, by id.'),
    ...Counts.partial().shape,
  })
  .meta({ id: 'Status' });
export type Status = z.infer<typeof Status>;

/**
 * Returns a page of matching entities by id, the `next` position, and, unless `counts` is false, counts over all pages.
 * To count, reads all entities unless the page has all of them. Throws NOT_FOUND if a blueprint does not exist.
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
  await assertBlueprintsExist(context, wanted.blueprint ?? []);
  const read = statusEntities(context, await staleChecks(context), wanted);
  const { values: entities, next } = await gather(read, page);
  if (!isCounted) return { status: { entities }, next };
  const isAll = page.after === undefined && next === undefined;
  const counts = isAll ? entities.reduce(addToCounts, noCounts()) : await countAll(context, wanted);
  return { status: { entities, ...counts }, next };
}

async function assertBlueprintsExist(context: Context, slugs: readonly string[]): Promise<void> {
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
  const page = (after: string | undefined, limit: number) => entityPage(context, { after }, limit);
  const read = hasCondition(wanted) ? filtered(page, (entity) => fits(entity, wanted)) : page;
  return async (after, limit) => {
    const { items, ...rest } = await read(after, limit);
    // Blueprints are read after the entities, so that the blueprint of each entity is found.
    if (items.some(({ blueprint_slug }) => !blueprints.has(blueprint_slug))) blueprints = await allBlueprints(context);
    const now = context.ports.clock.now();
    const errors = await errorsOf(context, items);
    const found = await mapYielding(items, (item) => {
      const record = entityRecord(item, blueprints.get(item.blueprint_slug) ?? { fields: [] }, now);
      const value = {
        ...record,
        error_message: errors.get(item.id) ?? '',
        stale: Object.keys(item.checks).some(isStale),
      };
      return { at: item.sk, value };
    });
    return { ...rest, found };
  };
}

/** Returns the error of the worst check of each failing entity, by entity id. Costs one read per failing entity. */
async function errorsOf({ ports, keys, tenant, caller }: Context, items: EntityItem[]): Promise<Map<string, string>> {
  const worst = items.flatMap(({ checks }) => worstCheck(checks) ?? []);
  const found = await ports.table.getMany<CheckItem>(worst.map((id) => keys.check(tenant, id)));
  return new Map(
    found.flatMap((check) => {
      if (!check) return [];
      const { entity_id, error_message = '' } = check;
      return [[entity_id, seesSecrets(caller) ? error_message : redactUrls(error_message)]];
    }),
  );
}

function worstCheck(checks: Record<string, CheckState>): string | undefined {
  const found = Object.entries(checks);
  return (found.find(([, state]) => state === 'down') ?? found.find(([, state]) => state === 'degraded'))?.[0];
}

const noCounts = (): Counts => ({ total: 0, up: 0, degraded: 0, down: 0, unknown: 0 });

function addToCounts(counts: Counts, { state }: { state: EntityState }): Counts {
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
        page.filter((entity) => fits(entity, wanted)).reduce(addToCounts, counts);
    }),
  );
  return counts;
}
