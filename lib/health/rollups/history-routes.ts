import * as z from 'zod';
import type { Context } from '#lib/access/context.ts';
import type { EntityItem } from '#lib/catalog/entity-item.ts';
import { requireEntity } from '#lib/catalog/store.ts';
import type { CheckItem } from '#lib/checks/check-item.ts';
import { checkLabel } from '#lib/checks/label.ts';
import { checksOf, requireCheck } from '#lib/checks/store.ts';
import { invalid, notFound } from '#lib/platform/errors.ts';
import { IdOf } from '#lib/platform/http/members.ts';
import { route } from '#lib/platform/http/route.ts';
import { isId } from '#lib/platform/ids.ts';
import { Instant, iso } from '#lib/platform/time.ts';
import { CheckBucket, EntityBucket } from './bucket.ts';
import { type BucketList, BucketSize, listBuckets } from './buckets.ts';
import { checkHistories, entityHistory } from './read-history.ts';

const row = route<Context>();

const Asked = z.object({
  bucket: BucketSize.default('day').describe('How long a bucket is: hour, day or month, in UTC. Default day.'),
  from: Instant.optional().describe('From then on; 24 hours, 30 days or 12 months before to, if left out.'),
  to: Instant.optional().describe('Until then; now, if left out.'),
});
type Asked = z.output<typeof Asked>;

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

/** Checks, and buckets of all of them together, that one answer has at most. */
const MOST_CHECKS = 50;
const MOST_BUCKETS = 5_000;

/** @throws AppError VALIDATION_ERROR, with what is allowed */
function bucketsOf({ ports, caller }: Pick<Context, 'ports' | 'caller'>, asked: Asked): BucketList {
  const list = listBuckets(asked, { now: ports.clock.now(), rollupDays: caller.rollup_days });
  if ('wrong' in list) throw invalid(list.wrong.path, list.wrong.message);
  return list;
}

const covered = ({ bucket }: Asked, { from, to }: BucketList) => ({ bucket, from: iso(from), to: iso(to) });

/** The histories of some checks as the API shows them. */
export async function checkHistoryRecords(context: Context, checks: readonly CheckItem[], asked: Asked) {
  const list = bucketsOf(context, asked);
  if (checks.length * list.buckets.length > MOST_BUCKETS) {
    throw invalid(
      'bucket',
      `${checks.length} checks of ${list.buckets.length} buckets are more than ${MOST_BUCKETS} buckets together: ask for fewer ` +
        'checks, a shorter span, or longer buckets',
    );
  }
  const histories = await checkHistories(context, checks, asked.bucket, list);
  return checks.map((check, i) => ({
    check_id: check.id,
    check_name: checkLabel(check),
    ...covered(asked, list),
    ...histories[i]!,
  }));
}

/** Checks and entities by the hour, day or month, as far back as rollups are kept (docs/CONTRACT.md#history). */
export const historyRows = [
  row({
    method: 'GET',
    path: '/v1/checks/{id}/history',
    access: 'read',
    summary: 'Uptime and latency of a check by the hour, day or month',
    status: 200,
    query: Asked,
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
    query: Asked,
    reply: EntityHistory,
    load: (context, { blueprint_slug, slug }) => requireEntity(context, blueprint_slug, slug),
    run: async (context, { loaded: { entity }, query }) => {
      const list = bucketsOf(context, query);
      const history = await entityHistory(context, entity, query.bucket, list);
      return { entity_id: entity.id, entity_name: entity.name, ...covered(query, list), ...history };
    },
  }),
  row({
    method: 'GET',
    path: '/v1/history',
    access: 'read',
    summary: 'The same of up to 50 checks at once: those named, or all of an entity',
    status: 200,
    errors: ['NOT_FOUND'],
    query: Asked.extend({
      check_ids: z
        .string()
        .optional()
        .describe(`Ids of checks, separated by commas; at most ${MOST_CHECKS}. Either these or entity_id.`),
      entity_id: z.string().optional().describe('All checks of this entity.'),
    }),
    reply: z.object({ checks: z.array(CheckHistory).describe('In the order asked.') }).meta({ id: 'Histories' }),
    run: async (context, { query }) => {
      const checks =
        query.entity_id === undefined ? await named(context, query.check_ids) : await allOfEntity(context, query);
      return { checks: await checkHistoryRecords(context, checks, query) };
    },
  }),
];

async function named(context: Context, text: string | undefined): Promise<CheckItem[]> {
  const ids = [...new Set((text ?? '').split(',').filter((id) => id !== ''))];
  if (ids.length === 0) throw invalid('check_ids', 'name at least one check, or give entity_id');
  if (ids.length > MOST_CHECKS)
    throw invalid('check_ids', `are ${ids.length}; at most ${MOST_CHECKS} are answered at once`);
  return Promise.all(ids.map((id) => requireCheck(context, id)));
}

async function allOfEntity(
  context: Context,
  query: { entity_id?: string | undefined; check_ids?: string | undefined },
) {
  const id = query.entity_id ?? '';
  if (query.check_ids !== undefined) throw invalid('check_ids', 'give either these or entity_id');
  const { ports, keys, tenant } = context;
  const entity = isId('ent', id) ? await ports.table.get<EntityItem>(keys.entity(tenant, id)) : undefined;
  if (!entity) throw notFound(`Entity ${id}`);
  const count = Object.keys(entity.checks).length;
  if (count > MOST_CHECKS) {
    throw invalid(
      'entity_id',
      `has ${count} checks; at most ${MOST_CHECKS} are answered at once: name them by check_ids`,
    );
  }
  return checksOf(context, [entity]);
}
