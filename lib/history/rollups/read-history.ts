import type { Context, TenantEnv } from '#lib/access/context.ts';
import type { EntityItem } from '#lib/catalog/entity.ts';
import type { CheckItem } from '#lib/checks/check-item.ts';
import { checksOf } from '#lib/checks/settings/store.ts';
import type { TimeRange } from '#lib/history/results/gaps.ts';
import { DAY_MS } from '#lib/platform/time.ts';
import {
  type BucketList,
  type BucketSize,
  type BucketStatus,
  bucketRecord,
  type CheckBucket,
  type EntityBucket,
  entityBucketRecord,
  startOf,
} from './buckets.ts';
import { entityHours, type HourFigures, latencyOf, latestOf } from './entity-figures.ts';
import { type EntityFigures, mergeEntityFigures, mergeFigures } from './figures.ts';
import { hoursIn } from './hours.ts';
import { type CheckSource, type Part, type RollupReader, readRollups, sourceOf } from './stored-rollups.ts';

/** Environment for reading histories, with the account's retention of raw data in days. */
export type HistoryEnv = TenantEnv & { caller: Pick<Context['caller'], 'retention_days'> };

type History<Bucket> = { total: Bucket; buckets: Bucket[] };

/** Reads the histories of checks: whole days and hours from rollups, the rest from raw data. */
export async function checkHistories(
  context: HistoryEnv,
  checks: readonly CheckItem[],
  size: BucketSize,
  list: BucketList,
): Promise<History<CheckBucket>[]> {
  const rollups = readRollups(context, context.caller.retention_days);
  const histories: History<CheckBucket>[] = [];
  for (const check of checks) {
    const parts = await partsOf(size, list, {
      days: (range) => rollups.days(sourceOf(check), range),
      hours: (hours) => rollups.parts(sourceOf(check), hours),
    });
    histories.push(
      historyOf(parts, size, list, (bucketParts, status) =>
        bucketRecord(mergeFigures(bucketParts.map(({ figures }) => figures)), status),
      ),
    );
  }
  return histories;
}

/**
 * Reads the histories of entities; entities of a cell share reads. Checks are read only for time without rollups.
 * `latency`: whether to include latencies, which only hours have.
 */
export async function entityHistories(
  context: HistoryEnv,
  entities: readonly EntityItem[],
  size: BucketSize,
  list: BucketList,
  options = { latency: false },
): Promise<History<EntityBucket>[]> {
  const rollups = readRollups(context, context.caller.retention_days);
  const checksIn = sourcesOf(context, entities);
  const histories: History<EntityBucket>[] = [];
  for (const entity of entities)
    histories.push(await entityHistory(rollups, { id: entity.id, checks: checksIn(entity) }, size, list, options));
  return histories;
}

/** Returns a function from an entity to the sources of its checks. Reading one of them reads all. */
function sourcesOf(context: HistoryEnv, entities: readonly EntityItem[]): (entity: EntityItem) => CheckSource[] {
  const items = once(async () => new Map((await checksOf(context, entities)).map((check) => [check.id, check])));
  return ({ checks }) => Object.keys(checks).map((id) => ({ id, item: async () => (await items()).get(id) }));
}

function once<T>(work: () => T): () => T {
  let done: { result: T } | undefined;
  return () => {
    done ??= { result: work() };
    return done.result;
  };
}

async function entityHistory(
  rollups: RollupReader,
  { id, checks }: { id: string; checks: CheckSource[] },
  size: BucketSize,
  list: BucketList,
  options: { latency: boolean },
): Promise<History<EntityBucket>> {
  const parts = await partsOf<HourFigures>(size, list, {
    days: (range) => rollups.entityDays(id, checks, range),
    hours: (hours) => entityHours(rollups, checks, hours, options),
  });
  return historyOf(parts, size, list, (bucketParts, status) =>
    entityBucketRecord(
      mergeEntityFigures(bucketParts.map(({ figures }) => figures)),
      status,
      options.latency ? latencyOf(bucketParts) : undefined,
    ),
  );
}

type PartReader<F extends EntityFigures> = {
  days(range: TimeRange): Promise<Part<F>[]>;
  hours(hours: TimeRange[]): Promise<Part<F>[]>;
};

/** Returns the parts of a history, ascending: rolled-up days, unless `size` is hour, and hours for the rest. */
async function partsOf<F extends EntityFigures>(
  size: BucketSize,
  { from, to }: TimeRange,
  read: PartReader<F>,
): Promise<Part<F>[]> {
  const days = size === 'hour' ? [] : await read.days({ from, to });
  const parts: Part<F>[] = [];
  for (const day of [...days, undefined]) {
    const missing = { from: parts.at(-1)?.range.to ?? from, to: day?.range.from ?? to };
    if (missing.from < missing.to) parts.push(...(await read.hours(hoursIn(missing))));
    if (day) parts.push(day);
  }
  return parts;
}

function historyOf<F extends EntityFigures, Bucket>(
  parts: Part<F>[],
  size: BucketSize,
  { buckets, from, to }: BucketList,
  recordOf: (bucketParts: Part<F>[], status: BucketStatus) => Bucket,
): History<Bucket> {
  const ofBucket = Map.groupBy(parts, ({ range }) => Math.max(startOf(size, range.from), from));
  const record = (bucketParts: Part<F>[], range: TimeRange) => {
    const isOver = startOf(size, range.to) === range.to;
    return recordOf(bucketParts, {
      ...range,
      complete: isOver && bucketParts.every(({ isRolled }) => isRolled),
      revised_at: latestOf(bucketParts),
      known_since: knownSince(bucketParts),
    });
  };
  return {
    total: record(parts, { from, to }),
    buckets: buckets.map((bucket) => record(ofBucket.get(bucket.from) ?? [], bucket)),
  };
}

export type MeasuredPart = Part<EntityFigures>;

/** Returns a function that reads the figures of a check or entity in a range, as ascending, contiguous parts. */
export function timeReader(context: Context, of: { check: CheckItem } | { entity: EntityItem }) {
  const rollups = readRollups(context, context.caller.retention_days);
  const read: PartReader<EntityFigures> =
    'check' in of ? checkTimeReader(rollups, of.check) : entityTimeReader(context, rollups, of.entity);
  const hours = async (range: TimeRange) => (range.from < range.to ? read.hours(hoursIn(range)) : []);
  return async ({ from, to }: TimeRange): Promise<MeasuredPart[]> => {
    // Only whole UTC days have day rollups.
    const days = { from: Math.ceil(from / DAY_MS) * DAY_MS, to: Math.floor(to / DAY_MS) * DAY_MS };
    if (days.from >= days.to) return hours({ from, to });
    return [
      ...(await hours({ from, to: days.from })),
      ...(await partsOf('day', days, read)),
      ...(await hours({ from: days.to, to })),
    ];
  };
}

const checkTimeReader = (rollups: RollupReader, check: CheckItem): PartReader<EntityFigures> => ({
  days: (range) => rollups.days(sourceOf(check), range),
  hours: (hours) => rollups.times(sourceOf(check), hours),
});

function entityTimeReader(context: Context, rollups: RollupReader, entity: EntityItem): PartReader<EntityFigures> {
  const checks = sourcesOf(context, [entity])(entity);
  return {
    days: (range) => rollups.entityDays(entity.id, checks, range),
    hours: (hours) => entityHours(rollups, checks, hours),
  };
}

/**
 * Returns the start of the first monitored time of ascending parts; null without any. Within a part, all time that was
 * not monitored is taken to be at its start.
 */
export function knownSince(parts: readonly Part<EntityFigures>[]): number | null {
  const first = parts.find(({ range, figures }) => figures.ms.not_monitored < range.to - range.from);
  return first ? first.range.from + first.figures.ms.not_monitored : null;
}
