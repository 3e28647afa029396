import type { GapCause } from '#lib/history/results/gaps.ts';
import { namesOf } from '#lib/platform/plain-data.ts';
import { TIME_KINDS, type TimeByKind, zeroTime } from './classify-time.ts';
import { emptyHistogram, type LatencyHistogram, mergeHistograms } from './latency-histogram.ts';

/** Counts of a check, or of all checks of an entity, in a time range (docs/use/states-and-history.md#history). */
type Counts = {
  runs: number;
  failures: number;
  warnings: number;
  gaps: Record<GapCause, number>;
};

export type EntityFigures = Counts & TimeByKind;

/** Figures of a check in a time range; `latency` is that of its successful results. */
export type Figures = EntityFigures & { latency: LatencyHistogram };

/** Returns new figures that are all zero, to add to. */
export const emptyFigures = (): Figures => ({ ...emptyEntityFigures(), latency: emptyHistogram() });

/** Merges the figures of disjoint time ranges, or of several checks, into new ones. Associative and commutative. */
export const mergeFigures = (parts: readonly Figures[]): Figures => ({
  ...mergeEntityFigures(parts),
  latency: mergeHistograms(parts.map(({ latency }) => latency)),
});

export function mergeEntityFigures(parts: readonly EntityFigures[]): EntityFigures {
  const merged = emptyEntityFigures();
  for (const part of parts) {
    merged.runs += part.runs;
    merged.failures += part.failures;
    merged.warnings += part.warnings;
    for (const cause of GAP_CAUSES) merged.gaps[cause] += part.gaps[cause];
    for (const kind of TIME_KINDS) merged.ms[kind] += part.ms[kind];
    merged.down_in_maintenance_ms += part.down_in_maintenance_ms;
  }
  return merged;
}

const noGaps = (): Record<GapCause, number> => ({ late: 0, outage: 0, network: 0, error: 0, cpu_budget: 0 });

/** Returns the number of slots without a result, over all causes. */
export const gapCount = ({ gaps }: Pick<Counts, 'gaps'>): number =>
  GAP_CAUSES.reduce((sum, cause) => sum + gaps[cause], 0);

/** Causes of gaps; rollups store counts under these names. */
export const GAP_CAUSES = namesOf(noGaps());

const emptyEntityFigures = (): EntityFigures => ({ runs: 0, failures: 0, warnings: 0, gaps: noGaps(), ...zeroTime() });
