import type { TimeRange } from '#lib/history/results/gaps.ts';
import { entityTime, timeOf } from './classify-time.ts';
import { type EntityFigures, mergeEntityFigures } from './figures.ts';
import { type LatencyHistogram, mergeHistograms } from './latency-histogram.ts';
import type { Rollup } from './rollup-item.ts';
import { type CheckSource, notMonitored, type Part, type RollupReader } from './stored-rollups.ts';

type WithLatency<F extends EntityFigures> = F & { latency?: LatencyHistogram };

export type HourFigures = WithLatency<EntityFigures>;

/** Returns the figures of an entity in contiguous hours. `latency`: also reads latencies, which are separate items. */
export async function entityHours(
  rollups: RollupReader,
  checks: readonly CheckSource[],
  hours: readonly TimeRange[],
  { latency: withLatency = false } = {},
): Promise<Part<HourFigures>[]> {
  if (checks.length === 0) return hours.map(notMonitored);
  const read = withLatency ? rollups.parts : rollups.times;
  const ofChecks: Part<WithLatency<Rollup>>[][] = await Promise.all(checks.map((check) => read(check, hours)));
  return Promise.all(
    hours.map(async (hour, h) => {
      const parts = ofChecks.map((hoursOfCheck) => hoursOfCheck[h]!);
      const spans = await Promise.all(
        // The rollup of a check that flaps every few seconds has no spans.
        parts.map(({ figures }, c) => figures.spans ?? rollups.spans(checks[c]!, hour)),
      );
      return {
        range: hour,
        figures: {
          ...mergeEntityFigures(parts.map(({ figures }) => figures)),
          ...timeOf(entityTime(spans, hour)),
          ...(withLatency && { latency: latencyOf(parts) }),
        },
        isRolled: parts.every(({ isRolled }) => isRolled),
        revised_at: latestOf(parts),
      };
    }),
  );
}

export const latencyOf = (parts: readonly { figures: HourFigures }[]): LatencyHistogram =>
  mergeHistograms(parts.flatMap(({ figures }) => figures.latency ?? []));

/** Returns the time of the last revision of some parts; null if never revised. */
export const latestOf = (parts: readonly Pick<Part, 'revised_at'>[]): number | null =>
  parts.reduce<number | null>(
    (last, { revised_at }) => (revised_at !== null && revised_at > (last ?? 0) ? revised_at : last),
    null,
  );
