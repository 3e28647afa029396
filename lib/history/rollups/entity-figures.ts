import type { TimeRange } from '#lib/history/runs/gaps.ts';
import { entityTime, timeOf } from './account-time.ts';
import { type EntityFigures, mergeEntityFigures } from './figures.ts';
import { type CheckSource, notMonitored, type Part, type RollupReader } from './stored-rollups.ts';

/**
 * An entity by the hour: its counts are sums over its checks, its time is made of theirs.
 * @param checks of the entity; without any it is not monitored
 * @param hours each begins where the one before ends
 */
export async function entityHours(
  rollups: RollupReader,
  checks: readonly CheckSource[],
  hours: readonly TimeRange[],
): Promise<Part<EntityFigures>[]> {
  if (checks.length === 0) return hours.map(notMonitored);
  const ofChecks = await Promise.all(checks.map((check) => rollups.times(check, hours)));
  return Promise.all(
    hours.map(async (hour, h) => {
      const parts = ofChecks.map((own) => own[h]!);
      const spans = await Promise.all(
        // Of a check that flaps each few seconds the rollup does not say when.
        parts.map(({ figures }, c) => figures.spans ?? rollups.spans(checks[c]!, hour)),
      );
      return {
        window: hour,
        figures: { ...mergeEntityFigures(parts.map(({ figures }) => figures)), ...timeOf(entityTime(spans, hour)) },
        isRolled: parts.every(({ isRolled }) => isRolled),
        revised_at: latestOf(parts),
      };
    }),
  );
}

/** When one of some parts was revised last; null when none was. */
export const latestOf = (parts: readonly Pick<Part, 'revised_at'>[]): number | null =>
  parts.reduce<number | null>(
    (last, { revised_at }) => (revised_at !== null && revised_at > (last ?? 0) ? revised_at : last),
    null,
  );
