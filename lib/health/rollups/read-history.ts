import type { Context } from '#lib/access/context.ts';
import type { EntityItem } from '#lib/catalog/entity-item.ts';
import type { CheckItem } from '#lib/checks/check-item.ts';
import { checksOf } from '#lib/checks/store.ts';
import type { Span } from '#lib/health/history/gap-causes.ts';
import { cellOf, numberOf } from '#lib/keys.ts';
import { bucketRecord, type CheckBucket, type EntityBucket, entityBucketRecord } from './bucket.ts';
import { type BucketList, type BucketSize, startOf } from './buckets.ts';
import { entityHours, homeCellOf, latestOf } from './entity-figures.ts';
import { type EntityFigures, mergeEntityFigures, mergeFigures } from './figures.ts';
import { DAY_MS, dayOf } from './hours.ts';
import { checkPart, entityPart, notMonitored, type Part, type RollupReader, readRollups } from './stored-rollups.ts';

/** The span, its total and its buckets. */
type History<Bucket> = { total: Bucket; buckets: Bucket[] };

/** The history of some checks: whole days and hours from rollups, the rest from raw data. */
export async function checkHistories(
  context: Context,
  checks: readonly CheckItem[],
  size: BucketSize,
  list: BucketList,
): Promise<History<CheckBucket>[]> {
  const rollups = readRollups(context, context.caller.retention_days);
  const histories: History<CheckBucket>[] = [];
  for (const check of checks) {
    const read: Read<Part['figures']> = {
      days: (window) => rollups.readDays(cellOf(check.id), window),
      day: async (window) => checkPart(await rollups.day(cellOf(check.id), window.from), numberOf(check.id), window),
      hours: (window) => rollups.hours(check, window),
      begins: Date.parse(check.created_at),
    };
    const parts = await partsOf(read, size, list);
    histories.push(
      historyOf(parts, size, list, (own, status) =>
        bucketRecord(mergeFigures(own.map(({ figures }) => figures)), status),
      ),
    );
  }
  return histories;
}

/** The history of an entity. */
export async function entityHistory(
  context: Context,
  entity: EntityItem,
  size: BucketSize,
  list: BucketList,
): Promise<History<EntityBucket>> {
  const rollups = readRollups(context, context.caller.retention_days);
  const checks = await checksOf(context, [entity]);
  const home = homeCellOf(entity);
  const read: Read<EntityFigures> = {
    days: async (window) => void (home && (await rollups.readDays(home, window))),
    day: async (window) => (home ? entityPart(await rollups.day(home, window.from), entity.id, window) : undefined),
    hours: (window) => hoursOfEntity(rollups, checks, window),
    begins: Math.min(...checks.map(({ created_at }) => Date.parse(created_at))),
  };
  const parts = await partsOf(read, size, list);
  return historyOf(parts, size, list, (own, status) =>
    entityBucketRecord(mergeEntityFigures(own.map(({ figures }) => figures)), status),
  );
}

const hoursOfEntity = async (rollups: RollupReader, checks: CheckItem[], window: Span) =>
  checks.length > 0 ? entityHours(rollups, checks, window) : [notMonitored(window)];

type Read<F extends EntityFigures> = {
  /** Reads the days of a window at once. */
  days(window: Span): Promise<void>;
  day(window: Span): Promise<Part<F> | undefined>;
  hours(window: Span): Promise<Part<F>[]>;
  /** Epoch ms before which nothing is known of it. */
  begins: number;
};

/** What a history is made of, ascending: days as far as they are made, else hours. */
async function partsOf<F extends EntityFigures>(
  read: Read<F>,
  size: BucketSize,
  { from, to }: Span,
): Promise<Part<F>[]> {
  if (size === 'hour') return read.hours({ from, to });
  await read.days({ from: Math.max(from, Math.min(dayOf(read.begins), to - 1)), to });
  const parts: Part<F>[] = [];
  for (let day = from; day < to; day += DAY_MS) {
    const window = { from: day, to: Math.min(day + DAY_MS, to) };
    const isBefore = window.to <= read.begins;
    const rolled = isBefore ? (notMonitored(window) as Part<never> as Part<F>) : await read.day(window);
    if (rolled) parts.push(rolled);
    else parts.push(...(await read.hours(window)));
  }
  return parts;
}

/** Parts by the bucket, and all of them together. */
function historyOf<F extends EntityFigures, Bucket>(
  parts: Part<F>[],
  size: BucketSize,
  { buckets, from, to }: BucketList,
  recordOf: (own: Part<F>[], status: Span & { complete: boolean; revised_at: number | null }) => Bucket,
): History<Bucket> {
  const ofBucket = Map.groupBy(parts, ({ window }) => Math.max(startOf(size, window.from), from));
  const record = (own: Part<F>[], window: Span) =>
    recordOf(own, { ...window, complete: own.every(({ isRolled }) => isRolled), revised_at: latestOf(own) });
  return {
    total: record(parts, { from, to }),
    buckets: buckets.map((bucket) => record(ofBucket.get(bucket.from) ?? [], bucket)),
  };
}
