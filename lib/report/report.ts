import * as z from 'zod';
import type { Context } from '#lib/access/context.ts';
import type { EntityItem } from '#lib/catalog/entity.ts';
import { entityPage } from '#lib/catalog/store.ts';
import { checksOf } from '#lib/checks/settings/store.ts';
import { type BucketList, type EntityBucket, listBuckets, startOfMonth } from '#lib/history/rollups/buckets.ts';
import { TIME_KINDS, zeroTime } from '#lib/history/rollups/classify-time.ts';
import { checkHistories, entityHistories, type HistoryEnv } from '#lib/history/rollups/read-history.ts';
import { allSlos } from '#lib/history/slos/change-slo.ts';
import { budgetOf, SloBudget, type SloItem } from '#lib/history/slos/slo.ts';
import { incidentsWithEntities } from '#lib/incidents/list-incidents.ts';
import { invalid } from '#lib/platform/errors.ts';
import type { Reader } from '#lib/platform/http/paging.ts';
import { IdOf } from '#lib/platform/http/route.ts';
import { pick } from '#lib/platform/plain-data.ts';
import { DAY_MS, iso } from '#lib/platform/time.ts';

const Seconds = (meaning: string) =>
  z.number().min(0).nullable().describe(`${meaning}, in seconds; null without data.`);

const ReportSlo = SloBudget.extend({
  id: IdOf('the SLO'),
  name: z.string().describe('Display name.'),
  target: z.number().describe('Required share of good time.'),
  check_id: z.string().nullable().describe('Measured check; null if the SLO measures the entity.'),
}).meta({ id: 'ReportSlo' });
type ReportSlo = z.infer<typeof ReportSlo>;

const ReportMonth = z
  .object({
    month: z.string().describe('Month, in UTC: 2026-10.'),
    complete: z.boolean().describe('Whether the month is over and rolled up. Until then, its figures can change.'),
    known_since: z.iso
      .datetime()
      .nullable()
      .describe('Start of monitored time in the month; null without data. Earlier time has no data.'),
    uptime: z
      .number()
      .min(0)
      .max(1)
      .nullable()
      .describe('Up and degraded time, divided by up, degraded and down time; null without such time. Truncated.'),
    coverage: z
      .number()
      .min(0)
      .max(1)
      .nullable()
      .describe(
        'Up, degraded and down time, divided by all time except maintenance and not_monitored; null without such time. Truncated.',
      ),
    down_seconds: Seconds('Time down'),
    degraded_seconds: Seconds('Time degraded'),
    maintenance_seconds: Seconds('Time in maintenance that is excluded from uptime'),
    down_in_maintenance_seconds: Seconds('Time in maintenance that would have been down without it'),
    incidents: z
      .int()
      .min(0)
      .nullable()
      .describe(
        'Incidents opened in the month that include the entity; null if the account has more than 1,000 in the report.',
      ),
    slos: z.array(ReportSlo).describe('SLOs of the entity and of its checks, measured over the whole month.'),
  })
  .meta({ id: 'ReportMonth' });
export type ReportMonth = z.infer<typeof ReportMonth>;

/** Entity in the report (docs/use/uptime-and-reports.md#report-of-the-fleet). */
export const ReportEntity = z
  .object({
    entity_id: IdOf('the entity'),
    entity_name: z.string().describe('Name of the entity.'),
    blueprint_slug: z.string().describe('Slug of its blueprint.'),
    slug: z.string().describe('Slug of the entity.'),
    months: z.array(ReportMonth).describe('Months, oldest first.'),
  })
  .meta({ id: 'ReportEntity' });
export type ReportEntity = z.infer<typeof ReportEntity>;

const monthName = (at: number): string => iso(at).slice(0, 7);

/** Returns the start of a month (epoch ms) by its name. */
export const monthStart = (name: string): number => Date.parse(`${name}-01T00:00:00Z`);

/** Maximum number of entities in a response; a year of an entity takes about 14 read units. */
export const MAX_ENTITIES = 100;
export const MAX_MONTHS = 12;

const MONTH = /^2\d{3}-(?:0[1-9]|1[0-2])$/;

/** Month, such as `2026-10`. Refined, because the schema of an MCP tool must not have a `pattern`. */
export const Month = z.string().refine((text) => MONTH.test(text), 'must be a month, such as 2026-10');

/**
 * Returns a reader of the report of all entities in order of ids. Its `months` months end with `month` (default: the
 * current one).
 * @throws AppError VALIDATION_ERROR if no month has kept history, or if `month` has not begun
 */
export async function reportList(
  context: Context,
  { month, months }: { month?: string | undefined; months: number },
): Promise<Reader<ReportEntity>> {
  const now = context.ports.clock.now();
  const last = monthStart(month ?? monthName(now));
  const report = await reportReader(context, { first: startOfMonth(last, 1 - months), last });
  if (!report) {
    const { rollup_days } = context.caller;
    const range = `from ${monthName(now - rollup_days * DAY_MS)} to ${monthName(now)}`;
    throw invalid('month', `must be ${range}: history is kept for ${rollup_days} days`);
  }
  return async (after, limit) => {
    const { items, next } = await entityPage(context, { after }, limit);
    return { found: (await report(items)).map((value) => ({ at: value.entity_id, value })), next };
  };
}

/** Months of a report: starts of the first and the last (epoch ms). */
type Months = { first: number; last: number };

type ReportEnv = HistoryEnv & { caller: { rollup_days: number } };

/**
 * Reads SLOs and incidents, and returns a function that reads the report of entities; undefined if no month has kept
 * history, or if the last month has not begun. A month whose history is not kept has no data.
 */
export async function reportReader(
  env: ReportEnv,
  { first, last }: Months,
): Promise<((entities: readonly EntityItem[]) => Promise<ReportEntity[]>) | undefined> {
  const now = env.ports.clock.now();
  const range = { from: first, to: startOfMonth(last, 1) };
  const list = listBuckets({ bucket: 'month', ...range }, { now, rollupDays: env.caller.rollup_days });
  if ('wrong' in list || last > now) return undefined;
  const [slos, incidents] = await Promise.all([allSlos(env), incidentsWithEntities(env, range)]);
  const months: number[] = [];
  for (let at = first; at <= last; at = startOfMonth(at, 1)) months.push(at);
  return async (entities) => {
    const [histories, measured] = await Promise.all([
      entityHistories(env, entities, 'month', list),
      measuredSlos(env, slos, entities, list),
    ]);
    return entities.map((entity, i) => {
      const { buckets } = histories[i]!;
      const own = incidents?.filter(({ entity_ids }) => entity_ids.includes(entity.id)).map(({ at }) => monthName(at));
      const ofEntity = measured.filter(({ entity_id }) => entity_id === entity.id);
      return {
        entity_id: entity.id,
        entity_name: entity.name,
        blueprint_slug: entity.blueprint_slug,
        slug: entity.slug,
        months: months.map((start) => ({
          ...figuresOf(start, inMonth(buckets, start)),
          incidents: own ? own.filter((month) => month === monthName(start)).length : null,
          slos: ofEntity.map(({ slo, ofCheck }) => sloIn(start, slo, inMonth(ofCheck ?? buckets, start))),
        })),
      };
    });
  };
}

type Bucket = Pick<EntityBucket, 'from' | 'complete' | 'known_since' | 'seconds' | 'uptime' | 'coverage'> &
  Pick<EntityBucket, 'down_in_maintenance_seconds'>;

/** Returns the bucket of a month. Compares months: the first bucket can start later, where the kept history starts. */
const inMonth = (buckets: readonly Bucket[], start: number): Bucket | undefined =>
  buckets.find(({ from }) => from.slice(0, 7) === monthName(start));

function figuresOf(start: number, bucket: Bucket | undefined): Omit<ReportMonth, 'incidents' | 'slos'> {
  const { uptime = null, coverage = null, known_since = null } = bucket ?? {};
  const known = known_since === null ? undefined : bucket;
  return {
    month: monthName(start),
    complete: bucket?.complete ?? true,
    ...{ known_since, uptime, coverage },
    down_seconds: known?.seconds.down ?? null,
    degraded_seconds: known?.seconds.degraded ?? null,
    maintenance_seconds: known?.seconds.maintenance ?? null,
    down_in_maintenance_seconds: known?.down_in_maintenance_seconds ?? null,
  };
}

/** SLO with its entity. `ofCheck`: buckets of the measured check; undefined if the SLO measures the entity. */
type MeasuredSlo = { slo: SloItem; entity_id: string; ofCheck: readonly Bucket[] | undefined };

async function measuredSlos(
  env: ReportEnv,
  slos: readonly SloItem[],
  entities: readonly EntityItem[],
  list: BucketList,
): Promise<MeasuredSlo[]> {
  const found = slos.flatMap((slo) => {
    const entity = entities.find(({ id, checks }) =>
      slo.check_id === null ? id === slo.entity_id : Object.hasOwn(checks, slo.check_id),
    );
    return entity ? [{ slo, entity }] : [];
  });
  const measured = new Set(found.map(({ slo }) => slo.check_id));
  const owners = found.filter(({ slo }) => slo.check_id !== null).map(({ entity }) => entity);
  const checks = (await checksOf(env, [...new Set(owners)])).filter(({ id }) => measured.has(id));
  const histories = await checkHistories(env, checks, 'month', list);
  const ofChecks = new Map(checks.map(({ id }, i) => [id, histories[i]!.buckets]));
  return found.flatMap(({ slo, entity }) => {
    const ofCheck = slo.check_id === null ? undefined : ofChecks.get(slo.check_id);
    // Omits the SLO of a check that was deleted after the entity was read.
    return slo.check_id !== null && !ofCheck ? [] : [{ slo, entity_id: entity.id, ofCheck }];
  });
}

function sloIn(start: number, slo: SloItem, bucket: Bucket | undefined): ReportSlo {
  const ms = zeroTime().ms;
  for (const kind of TIME_KINDS) ms[kind] = Math.round((bucket?.seconds[kind] ?? 0) * 1000);
  return pick(ReportSlo, { ...slo, ...budgetOf(slo, ms, startOfMonth(start, 1) - start) });
}
