import type { AccountItem } from '#lib/access/account.ts';
import type { TenantEnv } from '#lib/access/context.ts';
import { type CheckBucket, listBuckets } from '#lib/history/rollups/buckets.ts';
import { checkHistories, entityHistories } from '#lib/history/rollups/read-history.ts';
import type { Source } from './sources.ts';

/** Figures of a bucket; a bucket of an entity has no latencies. */
type Bucket = Omit<CheckBucket, 'latency'> & Partial<Pick<CheckBucket, 'latency'>>;
type Figures = { total: Bucket; buckets: Bucket[] };

/** Reads the figures of sources since `from` (epoch ms), by source. Omits sources without an entity or check. */
export async function readFigures(
  scope: TenantEnv,
  sources: readonly Source[],
  { bucket, from }: { bucket: 'day' | 'hour'; from: number },
  { retention_days, rollup_days: rollupDays }: AccountItem,
): Promise<Map<Source, Figures>> {
  const list = listBuckets({ bucket, from }, { now: scope.ports.clock.now(), rollupDays });
  if ('wrong' in list) throw new Error(`The range of a public figure is not valid: ${list.wrong}`);
  const context = { ...scope, caller: { retention_days } };
  const checks = sources.flatMap(({ check }) => check ?? []);
  const entities = sources.flatMap(({ entity, check }) => (check ? [] : (entity ?? [])));
  const ofChecks = await checkHistories(context, checks, bucket, list);
  const ofEntities = await entityHistories(context, entities, bucket, list);
  return new Map(
    sources.flatMap((source): [Source, Figures][] => {
      const { check, entity } = source;
      const figures = check ? ofChecks[checks.indexOf(check)] : entity && ofEntities[entities.indexOf(entity)];
      return figures ? [[source, figures]] : [];
    }),
  );
}
