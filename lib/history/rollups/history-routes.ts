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

const row = route<Context>();

const HistoryQuery = z.object({
  bucket: BucketSize.default('day').describe('How long a bucket is: hour, day or month, in UTC. Default day.'),
  from: Instant.optional().describe('From then on; 24 hours, 30 days or 12 months before to, if left out.'),
  to: Instant.optional().describe('Until then; now, if left out.'),
});
type HistoryQuery = z.output<typeof HistoryQuery>;

const Covered = {
  bucket: BucketSize.describe('How long a bucket is.'),
  from: z.iso.datetime().describe('Where the first bucket begins.'),
  to: z.iso.datetime().describe('Where the last one ends, at most now.'),
};

const CheckHistory = z
  .object({
    check_id: IdOf('the check'),
    check_name: z.string().describe('Its name, or its target.'),
    ...Covered,
    total: CheckBucket.describe('All of the span as one bucket.'),
    buckets: z.array(CheckBucket).describe('Oldest first.'),
  })
  .meta({ id: 'CheckHistory' });

const EntityHistory = z
  .object({
    entity_id: IdOf('the entity'),
    entity_name: z.string().describe('Its name.'),
    ...Covered,
    total: EntityBucket.describe('All of the span as one bucket.'),
    buckets: z.array(EntityBucket).describe('Oldest first.'),
  })
  .meta({ id: 'EntityHistory' });

/** Checks or entities, and buckets of all of them together, that one answer has at most. */
const MAX_NAMED = 50;
const MAX_BUCKETS = 5_000;

/**
 * The buckets of each of `count` checks or entities.
 * @throws AppError VALIDATION_ERROR, with what is allowed
 */
function bucketsOf(
  { ports, caller }: Pick<Context, 'ports' | 'caller'>,
  asked: HistoryQuery,
  count: number,
): BucketList {
  const list = listBuckets(asked, { now: ports.clock.now(), rollupDays: caller.rollup_days });
  if ('wrong' in list) throw invalid(list.wrong.path, list.wrong.message);
  if (count * list.buckets.length > MAX_BUCKETS) {
    throw invalid(
      'bucket',
      `${count} times ${list.buckets.length} buckets are more than ${MAX_BUCKETS} together: ask for fewer at once, a ` +
        'shorter span, or longer buckets',
    );
  }
  return list;
}

const covered = ({ bucket }: HistoryQuery, { from, to }: BucketList) => ({ bucket, from: iso(from), to: iso(to) });

/** The histories of some checks as the API shows them. */
export async function checkHistoryRecords(context: Context, checks: readonly CheckItem[], asked: HistoryQuery) {
  const list = bucketsOf(context, asked, checks.length);
  const histories = await checkHistories(context, checks, asked.bucket, list);
  return checks.map((check, i) => ({
    check_id: check.id,
    check_name: checkLabel(check),
    ...covered(asked, list),
    ...histories[i]!,
  }));
}

/** The histories of some entities as the API shows them. */
async function entityHistoryRecords(context: Context, entities: readonly EntityItem[], asked: HistoryQuery) {
  const list = bucketsOf(context, asked, entities.length);
  const histories = await entityHistories(context, entities, asked.bucket, list);
  return entities.map(({ id, name }, i) => ({
    entity_id: id,
    entity_name: name,
    ...covered(asked, list),
    ...histories[i]!,
  }));
}

/**
 * Checks and entities by the hour, day or month, as far back as rollups are kept
 * (docs/use/states-and-history.md#history).
 */
export const historyRoutes = [
  row({
    method: 'GET',
    path: '/v1/checks/{id}/history',
    access: 'read',
    summary: 'Uptime and latency of a check by the hour, day or month',
    status: 200,
    query: HistoryQuery,
    reply: CheckHistory,
    load: (context, { id }) => requireCheck(context, id),
    run: async (context, { loaded, query }) => (await checkHistoryRecords(context, [loaded], query))[0]!,
  }),
  row({
    method: 'GET',
    path: '/v1/blueprints/{blueprint_slug}/entities/{slug}/history',
    access: 'read',
    summary: 'Uptime of an entity by the hour, day or month',
    status: 200,
    query: HistoryQuery,
    reply: EntityHistory,
    load: (context, { blueprint_slug, slug }) => requireEntity(context, blueprint_slug, slug),
    run: async (context, { loaded, query }) => (await entityHistoryRecords(context, [loaded.entity], query))[0]!,
  }),
  row({
    method: 'GET',
    path: '/v1/history',
    access: 'read',
    summary: 'The same of up to 50 checks at once, those named or all of an entity; or of up to 50 entities',
    status: 200,
    errors: ['NOT_FOUND'],
    query: HistoryQuery.extend({
      check_ids: z
        .string()
        .optional()
        .describe(`Ids of checks, separated by commas; at most ${MAX_NAMED}. Either these, entity_id or entity_ids.`),
      entity_id: z.string().optional().describe('All checks of this entity, each by itself.'),
      entity_ids: z.string().optional().describe(`Ids of entities, separated by commas; at most ${MAX_NAMED}.`),
    }),
    reply: z
      .object({
        checks: z.array(CheckHistory).optional().describe('With check_ids in the order asked, or with entity_id.'),
        entities: z.array(EntityHistory).optional().describe('With entity_ids, in the order asked.'),
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
          : await allOfEntity(context, entity_id);
      return { checks: await checkHistoryRecords(context, checks, query) };
    },
  }),
];

/** Throws VALIDATION_ERROR unless one of several parameters is given. */
function assertOneSelector(parameters: Record<string, string | undefined>): void {
  const names = Object.keys(parameters);
  const given = names.filter((name) => parameters[name] !== undefined);
  if (given.length !== 1) throw invalid(given[0] ?? names[0]!, `give one of ${names.join(', ')}`);
}

/** The ids that a parameter names, each once. */
function idsOf(name: string, text: string): string[] {
  const ids = [...new Set(text.split(',').filter((id) => id !== ''))];
  if (ids.length === 0) throw invalid(name, 'has no id in it');
  if (ids.length > MAX_NAMED) throw invalid(name, `are ${ids.length}; at most ${MAX_NAMED} are answered at once`);
  return ids;
}

async function allOfEntity(context: Context, id: string): Promise<CheckItem[]> {
  const entity = await requireEntityById(context, id);
  const count = Object.keys(entity.checks).length;
  if (count > MAX_NAMED) {
    throw invalid(
      'entity_id',
      `has ${count} checks; at most ${MAX_NAMED} are answered at once: name them by check_ids`,
    );
  }
  return checksOf(context, [entity]);
}
