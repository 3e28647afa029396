import type { GapCause } from '#lib/history/runs/gaps.ts';
import { namesOf } from '#lib/platform/plain-data.ts';
import { type AccountedTime, noTime, TIME_KINDS } from './account-time.ts';
import { emptyHistogram, type LatencyHistogram, mergeHistograms } from './latency-histogram.ts';

/**
 * What is counted of a check, or of all checks of an entity, over some time (docs/use/states-and-history.md#history).
 */
type Counts = {
  /** Results of slots, pushes and silence. */
  runs: number;
  failures: number;
  /** Successful runs that carried a warning. */
  warnings: number;
  /** Due slots without a run. */
  gaps: Record<GapCause, number>;
};

/** What history tells of an entity over some time. */
export type EntityFigures = Counts & AccountedTime;

/** What history tells of a check over some time; `latency` is of its successful runs. */
export type Figures = EntityFigures & { latency: LatencyHistogram };

/** Figures of nothing, to be counted up by whoever reads results. */
export const emptyFigures = (): Figures => ({ ...noEntityFigures(), latency: emptyHistogram() });

/** The figures of several times that do not overlap, or of several checks, as new ones. Any order and grouping. */
export const mergeFigures = (parts: readonly Figures[]): Figures => ({
  ...mergeEntityFigures(parts),
  latency: mergeHistograms(parts.map(({ latency }) => latency)),
});

/** The same of an entity. */
export function mergeEntityFigures(parts: readonly EntityFigures[]): EntityFigures {
  const merged = noEntityFigures();
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

const noGaps = (): Record<GapCause, number> => ({ late: 0, outage: 0, network: 0, error: 0 });

/** How many slots had no run, whatever the cause. */
export const gapCount = ({ gaps }: Pick<Counts, 'gaps'>): number =>
  GAP_CAUSES.reduce((sum, cause) => sum + gaps[cause], 0);

/** Why slots had no run, in the order in which they are stored. */
export const GAP_CAUSES = namesOf(noGaps());

const noEntityFigures = (): EntityFigures => ({ runs: 0, failures: 0, warnings: 0, gaps: noGaps(), ...noTime() });
