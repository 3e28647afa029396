import type { TimeRange } from '#lib/history/runs/gaps.ts';
import { entityTime, timeOf } from './account-time.ts';
import { type EntityFigures, mergeEntityFigures } from './figures.ts';
import { type CheckSource, notMonitored, type Part, type RollupReader } from './stored-rollups.ts';

/** Returns the contiguous hours of an entity: counts are summed, time is derived from that of its checks. */
export async function entityHours(
  rollups: RollupReader,
  checks: readonly CheckSource[],
  hours: readonly TimeRange[],
): Promise<Part<EntityFigures>[]> {
  if (checks.length === 0) return hours.map(notMonitored);
  const ofChecks = await Promise.all(checks.map((check) => rollups.times(check, hours)));
  return Promise.all(
    hours.map(async (hour, h) => {
      const parts = ofChecks.map((hoursOfCheck) => hoursOfCheck[h]!);
      const spans = await Promise.all(
        // The rollup of a check that flaps every few seconds has no spans.
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

/** Returns the time of the last revision of some parts; null if never revised. */
export const latestOf = (parts: readonly Pick<Part, 'revised_at'>[]): number | null =>
  parts.reduce<number | null>(
    (last, { revised_at }) => (revised_at !== null && revised_at > (last ?? 0) ? revised_at : last),
    null,
  );
