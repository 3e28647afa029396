import * as z from 'zod';
import type { Context } from '#lib/access/context.ts';
import type { BlueprintItem } from '#lib/catalog/blueprint.ts';
import { Entity, entityRecord } from '#lib/catalog/entity.ts';
import type { EntityItem } from '#lib/catalog/entity-item.ts';
import type { EntityState } from '#lib/catalog/states.ts';
import { allBlueprints } from '#lib/catalog/store.ts';
import { mapInTurns } from '#lib/platform/net/turns.ts';
import { queryMerged } from '#lib/platform/table/merge.ts';
import { pagesOf } from '#lib/platform/table/pages.ts';
import { gather, type Reader } from '#lib/platform/table/paging.ts';
import { staleChecks } from './staleness.ts';

const StatusEntity = Entity.extend({
  stale: z.boolean().describe('Whether the schedule is behind, so that the state may be older than it looks.'),
}).meta({ id: 'StatusEntity' });
type StatusEntity = z.infer<typeof StatusEntity>;

const Counts = z.object({
  total: z.int().describe('How many entities there are, over all pages; absent with counts=false, as all counts.'),
  up: z.int().describe('How many of them are up.'),
  degraded: z.int().describe('How many of them are degraded.'),
  down: z.int().describe('How many of them are down.'),
  unknown: z.int().describe('How many of them are unknown.'),
});
type Counts = z.infer<typeof Counts>;

/** The fleet at a glance (docs/CONTRACT.md#status). The counts are over all entities, whatever the page holds. */
export const Status = z
  .object({
    entities: z.array(StatusEntity).describe('By id, a page of them.'),
    ...Counts.partial().shape,
  })
  .meta({ id: 'Status' });
export type Status = z.infer<typeof Status>;

/**
 * A page of the entities by id, and the counts. When the page is all there is, it is also what is counted; else the
 * counts take a pass over all entities.
 * @param asked `counts`: false leaves them out
 * @returns `next`: the position of the next page, while more remains
 */
export async function readStatus(
  context: Context,
  asked: { after?: string | undefined; limit?: number; maxBytes?: number; counts?: boolean } = {},
): Promise<{ status: Status; next: string | undefined }> {
  const { counts: isCounted = true, ...page } = asked;
  const { values: entities, next } = await gather(statusEntities(context, await staleChecks(context)), page);
  if (!isCounted) return { status: { entities }, next };
  const isAll = page.after === undefined && next === undefined;
  const counts = isAll ? entities.reduce(counted, noCounts()) : await countAll(context);
  return { status: { entities, ...counts }, next };
}

/** The least that is read of a bucket; entities lie evenly in all of them. */
const LEAST_OF_BUCKET = 10;

function statusEntities(context: Context, isStale: (checkId: string) => boolean): Reader<StatusEntity> {
  const { ports, keys, tenant } = context;
  let blueprints = new Map<string, BlueprintItem>();
  return async (after, limit) => {
    const { items, next } = await queryMerged<EntityItem>(
      ports.table,
      keys.buckets.map((bucket) => keys.entities(tenant, bucket)),
      { limit, after, each: Math.max(LEAST_OF_BUCKET, Math.ceil(limit / keys.buckets.length)) },
    );
    // Read behind the entities, so that it holds the blueprint of each.
    if (items.some(({ blueprint_slug }) => !blueprints.has(blueprint_slug))) blueprints = await allBlueprints(context);
    const found = await mapInTurns(items, (item) => {
      const record = entityRecord(item, blueprints.get(item.blueprint_slug) ?? { fields: [] });
      return { at: item.sk, value: { ...record, stale: Object.keys(item.checks).some(isStale) } };
    });
    return { found, next };
  };
}

const noCounts = (): Counts => ({ total: 0, up: 0, degraded: 0, down: 0, unknown: 0 });

function counted(counts: Counts, { state }: { state: EntityState }): Counts {
  counts.total += 1;
  counts[state] += 1;
  return counts;
}

async function countAll({ ports, keys, tenant }: Context): Promise<Counts> {
  const counts = noCounts();
  await Promise.all(
    keys.buckets.map(async (bucket) => {
      const entities = { partition: keys.entities(tenant, bucket) };
      for await (const page of pagesOf<EntityItem>(ports.table, entities)) page.reduce(counted, counts);
    }),
  );
  return counts;
}
