import * as z from 'zod';
import type { Context } from '#lib/access/context.ts';
import type { EntityItem } from '#lib/catalog/entity.ts';
import { requireEntities, requireEntity, requireEntityById } from '#lib/catalog/store.ts';
import type { CheckItem } from '#lib/checks/check-item.ts';
import { checksOf, requireCheck, requireChecks } from '#lib/checks/settings/store.ts';
import { checkLabel } from '#lib/checks/types/registry.ts';
import { invalid } from '#lib/platform/errors.ts';
import { IdOf, route } from '#lib/platform/http/route.ts';
import { Instant } from '#lib/platform/instant.ts';
import { iso } from '#lib/platform/time.ts';
import { type BucketList, BucketSize, CheckBucket, EntityBucket, listBuckets } from './buckets.ts';
import { checkHistories, entityHistories } from './read-history.ts';

const endpoint = route<Context>();

const HistoryQuery = z.object({
  bucket: BucketSize.default('day').describe('Size of a bucket, in UTC. Default: day.'),
  from: Instant.optional().describe(
    'Start of the range. Default: 24 hours (hour), 30 days (day) or 12 months (month) before its end.',
  ),
  to: Instant.optional().describe('End of the range, exclusive. Default: now.'),
});
type HistoryQuery = z.output<typeof HistoryQuery>;

const EntityHistoryQuery = HistoryQuery.extend({
  latency: z
    .enum(['true', 'false'])
    .default('false')
    .describe('Whether to include the mean latency of entities; needs bucket=hour. Default: false.'),
});
type EntityHistoryQuery = z.output<typeof EntityHistoryQuery>;

const Covered = {
  bucket: BucketSize.describe('Size of a bucket.'),
  from: z.iso.datetime().describe('Start of the first bucket.'),
  to: z.iso.datetime().describe('End of the last bucket, at most now.'),
};

const CheckHistory = z
  .object({
    check_id: IdOf('the check'),
    check_name: z.string().describe('Name of the check, else its target.'),
    ...Covered,
    total: CheckBucket.describe('The whole range as one bucket.'),
    buckets: z.array(CheckBucket).describe('Buckets, oldest first.'),
  })
  .meta({ id: 'CheckHistory' });

const EntityHistory = z
  .object({
    entity_id: IdOf('the entity'),
    entity_name: z.string().describe('Name of the entity.'),
    ...Covered,
    total: EntityBucket.describe('The whole range as one bucket.'),
    buckets: z.array(EntityBucket).describe('Buckets, oldest first.'),
  })
  .meta({ id: 'EntityHistory' });

/** Maximum number of checks or entities in a response, and total number of their buckets. */
const MAX_HISTORIES = 50;
const MAX_TOTAL_BUCKETS = 5_000;

function bucketsOf(
  { ports, caller }: Pick<Context, 'ports' | 'caller'>,
  query: HistoryQuery,
  count: number,
): BucketList {
  const list = listBuckets(query, { now: ports.clock.now(), rollupDays: caller.rollup_days });
  if ('wrong' in list) throw invalid(list.wrong.path, list.wrong.message);
  if (count * list.buckets.length > MAX_TOTAL_BUCKETS) {
    throw invalid(
      'bucket',
      `${count} times ${list.buckets.length} buckets exceed the maximum of ${MAX_TOTAL_BUCKETS}: request fewer ` +
        'checks or entities, a shorter range or larger buckets',
    );
  }
  return list;
}

const covered = ({ bucket }: HistoryQuery, { from, to }: BucketList) => ({ bucket, from: iso(from), to: iso(to) });

export async function checkHistoryRecords(context: Context, checks: readonly CheckItem[], query: HistoryQuery) {
  const list = bucketsOf(context, query, checks.length);
  const histories = await checkHistories(context, checks, query.bucket, list);
  return checks.map((check, i) => ({
    check_id: check.id,
    check_name: checkLabel(check),
    ...covered(query, list),
    ...histories[i]!,
  }));
}

async function entityHistoryRecords(context: Context, entities: readonly EntityItem[], query: EntityHistoryQuery) {
  const { bucket } = query;
  const latency = query.latency === 'true';
  if (latency && bucket !== 'hour') throw invalid('latency', `needs bucket=hour; bucket is ${bucket}`);
  const list = bucketsOf(context, query, entities.length);
  const histories = await entityHistories(context, entities, bucket, list, { latency });
  return entities.map(({ id, name }, i) => ({
    entity_id: id,
    entity_name: name,
    ...covered(query, list),
    ...histories[i]!,
  }));
}

export const historyRoutes = [
  endpoint({
    method: 'GET',
    path: '/v1/checks/{id}/history',
    access: 'read',
    summary: 'Get uptime and latency of a check over time',
    status: 200,
    query: HistoryQuery,
    reply: CheckHistory,
    load: (context, { id }) => requireCheck(context, id),
    run: async (context, { loaded, query }) => (await checkHistoryRecords(context, [loaded], query))[0]!,
  }),
  endpoint({
    method: 'GET',
    path: '/v1/blueprints/{blueprint_slug}/entities/{slug}/history',
    access: 'read',
    summary: 'Get the uptime of an entity over time',
    status: 200,
    query: EntityHistoryQuery,
    reply: EntityHistory,
    load: (context, { blueprint_slug, slug }) => requireEntity(context, blueprint_slug, slug),
    run: async (context, { loaded, query }) => (await entityHistoryRecords(context, [loaded.entity], query))[0]!,
  }),
  endpoint({
    method: 'GET',
    path: '/v1/history',
    access: 'read',
    summary: 'Get the histories of up to 50 checks or entities',
    description: 'Exactly one of check_ids, entity_id and entity_ids is required.',
    status: 200,
    errors: ['NOT_FOUND'],
    query: EntityHistoryQuery.extend({
      check_ids: z
        .string()
        .optional()
        .describe(
          `Check ids, comma-separated, up to ${MAX_HISTORIES}. Exactly one of check_ids, entity_id and entity_ids is required.`,
        ),
      entity_id: z.string().optional().describe('Id of the entity whose checks to return.'),
      entity_ids: z.string().optional().describe(`Entity ids, comma-separated, up to ${MAX_HISTORIES}.`),
    }),
    reply: z
      .object({
        checks: z
          .array(CheckHistory)
          .optional()
          .describe('Histories of checks, with check_ids (in their order) or entity_id.'),
        entities: z
          .array(EntityHistory)
          .optional()
          .describe('Histories of entities, with entity_ids (in their order).'),
      })
      .meta({ id: 'Histories' }),
    run: async (context, { query }) => {
      const { check_ids, entity_id, entity_ids } = query;
      assertOneSelector({ check_ids, entity_id, entity_ids });
      if (entity_ids !== undefined) {
        const entities = await requireEntities(context, idsOf('entity_ids', entity_ids), { eventual: true });
        return { entities: await entityHistoryRecords(context, entities, query) };
      }
      const checks =
        entity_id === undefined
          ? await requireChecks(context, idsOf('check_ids', check_ids!))
          : await requireChecksOf(context, entity_id);
      return { checks: await checkHistoryRecords(context, checks, query) };
    },
  }),
];

function assertOneSelector(parameters: Record<string, string | undefined>): void {
  const names = Object.keys(parameters);
  const given = names.filter((name) => parameters[name] !== undefined);
  if (given.length !== 1) throw invalid(given[0] ?? names[0]!, `give exactly one of ${names.join(', ')}`);
}

function idsOf(name: string, text: string): string[] {
  const ids = [...new Set(text.split(',').filter((id) => id !== ''))];
  if (ids.length === 0) throw invalid(name, 'must contain an id');
  if (ids.length > MAX_HISTORIES) throw invalid(name, `has ${ids.length} ids, more than ${MAX_HISTORIES}`);
  return ids;
}

async function requireChecksOf(context: Context, id: string): Promise<CheckItem[]> {
  const entity = await requireEntityById(context, id);
  const count = Object.keys(entity.checks).length;
  if (count > MAX_HISTORIES) {
    throw invalid('entity_id', `has ${count} checks, more than ${MAX_HISTORIES}: select some with check_ids`);
  }
  return checksOf(context, [entity]);
}
