import type { Item } from '#lib/platform/ports.ts';
import { type CauseProgress, NO_PROGRESS } from './cause-decision.ts';
import type { Evidence } from './evidence.ts';
import type { CauseAnalysis, UpstreamEntity } from './root-causes.ts';

/** What a look at a held alert went by, for whoever asks later. Times in epoch ms. */
type LookNote = {
  at: number;
  roots: string[];
  /** What was known of those that it depends on: what failed first, then the nearest. */
  ancestors: ({ entity_id: string; status: UpstreamEntity['status'] } & Evidence)[];
  /** There were more. */
  truncated: boolean;
};

/**
 * What is remembered of an alert that waits until it is known whether it follows from another failure, beside its
 * deadline `hold`. It lies under its check, and is kept as long as its transition, for whoever asks why. About 300
 * bytes, and 100 for each entity that a look saw.
 */
export type CauseProgressItem = Item &
  CauseProgress & {
    v: string;
    /** The latest, oldest first. */
    evaluations: LookNote[];
  };

/** Most evaluations that are kept, and most entities of one. */
const MAX_EVALUATIONS = 10;
const MAX_UPSTREAM = 10;

/** What is remembered so far: nothing before the first look. */
export const storedProgress = (
  stored: CauseProgressItem | undefined,
): CauseProgress & Pick<CauseProgressItem, 'evaluations'> => stored ?? { ...NO_PROGRESS, evaluations: [] };

/** The evaluations with one more, at `at` (epoch ms). */
export function withEvaluation(
  evaluations: readonly LookNote[],
  { roots, ancestors, truncated }: CauseAnalysis,
  at: number,
): LookNote[] {
  const failedFirst = ancestors.toSorted((a, b) => Number(b.status === 'failed') - Number(a.status === 'failed'));
  const seen: LookNote = {
    at,
    roots: roots.map(({ entity_id }) => entity_id),
    ancestors: failedFirst.slice(0, MAX_UPSTREAM).map(({ entity_id, status, evidence, known_at }) => ({
      ...{ entity_id, status, evidence },
      ...(known_at !== undefined && { known_at }),
    })),
    truncated: truncated || ancestors.length > MAX_UPSTREAM,
  };
  return [...evaluations, seen].slice(-MAX_EVALUATIONS);
}
