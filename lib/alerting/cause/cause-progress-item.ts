import type { Item } from '#lib/platform/ports.ts';
import { type CauseProgress, NO_PROGRESS } from './cause-decision.ts';
import type { Evidence } from './evidence.ts';
import type { CauseAnalysis, UpstreamEntity } from './root-causes.ts';

/** Record of an evaluation of a held alert, for explanations. Times in epoch ms. */
type EvaluationRecord = {
  at: number;
  roots: string[];
  /** Statuses of the upstream entities: failed ones first, then the nearest. */
  ancestors: ({ entity_id: string; status: UpstreamEntity['status'] } & Evidence)[];
  truncated: boolean;
};

/** Progress of the search for a cause, per check and transition: 300 bytes, and 100 per entity of an evaluation. */
export type CauseProgressItem = Item &
  CauseProgress & {
    v: string;
    /** Oldest first. */
    evaluations: EvaluationRecord[];
  };

/** Maximum number of stored evaluations, and of entities in each. */
const MAX_EVALUATIONS = 10;
const MAX_UPSTREAM = 10;

/** Returns the stored progress; empty progress before the first evaluation. */
export const storedProgress = (
  stored: CauseProgressItem | undefined,
): CauseProgress & Pick<CauseProgressItem, 'evaluations'> => stored ?? { ...NO_PROGRESS, evaluations: [] };

/** Adds an evaluation at `at` (epoch ms). */
export function withEvaluation(
  evaluations: readonly EvaluationRecord[],
  { roots, ancestors, truncated }: CauseAnalysis,
  at: number,
): EvaluationRecord[] {
  const failedFirst = ancestors.toSorted((a, b) => Number(b.status === 'failed') - Number(a.status === 'failed'));
  const evaluation: EvaluationRecord = {
    at,
    roots: roots.map(({ entity_id }) => entity_id),
    ancestors: failedFirst.slice(0, MAX_UPSTREAM).map(({ entity_id, status, evidence, known_at }) => ({
      ...{ entity_id, status, evidence },
      ...(known_at !== undefined && { known_at }),
    })),
    truncated: truncated || ancestors.length > MAX_UPSTREAM,
  };
  return [...evaluations, evaluation].slice(-MAX_EVALUATIONS);
}
