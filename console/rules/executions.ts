import type { Execution, State } from '#console/api/records.ts';

/** How something went, by the shape of a state and a word. */
type Mark = { state: State; word: string };

const DISPATCH: Readonly<Record<Execution['dispatch_status'], Mark>> = {
  pending: { state: 'unknown', word: 'Pending' },
  success: { state: 'up', word: 'Success' },
  failed: { state: 'down', word: 'Failed' },
  blocked: { state: 'degraded', word: 'Blocked' },
  skipped: { state: 'unknown', word: 'Skipped' },
};

const PIPELINE: Readonly<Record<NonNullable<Execution['pipeline_status']>, Mark>> = {
  queued: { state: 'unknown', word: 'Queued' },
  running: { state: 'unknown', word: 'Running' },
  succeeded: { state: 'up', word: 'Succeeded' },
  failed: { state: 'down', word: 'Failed' },
};

/** How the call went. */
export const dispatchMark = ({ dispatch_status }: Pick<Execution, 'dispatch_status'>): Mark =>
  DISPATCH[dispatch_status];

/** What the pipeline reported last; undefined until it has reported. */
export const pipelineMark = ({ pipeline_status }: Pick<Execution, 'pipeline_status'>): Mark | undefined =>
  pipeline_status === null ? undefined : PIPELINE[pipeline_status];

const VERDICT: Readonly<Record<NonNullable<Execution['verdict']>, Mark>> = {
  recovered: { state: 'up', word: 'Healed' },
  not_recovered: { state: 'down', word: 'Not healed' },
  already_healthy: { state: 'unknown', word: 'Already healthy' },
  unverified: { state: 'unknown', word: 'Unverified' },
};

/** What came of a remediation; undefined of other runs, and until it is known. */
export const verdictMark = ({ verdict }: Pick<Execution, 'verdict'>): Mark | undefined =>
  verdict === null ? undefined : VERDICT[verdict];

/** In one word: what came of a remediation, else what the pipeline says, once it says something. */
export const outcome = (execution: Pick<Execution, 'dispatch_status' | 'pipeline_status' | 'verdict'>): Mark =>
  verdictMark(execution) ?? pipelineMark(execution) ?? dispatchMark(execution);

/** After a call that succeeded, so long may a pipeline wait before it reports for the first time. */
const FIRST_REPORT_MS = 10 * 60_000;

type Course = Pick<Execution, 'dispatch_status' | 'pipeline_status' | 'finished_at' | 'attempt' | 'verdict'>;

/** Whether more is to be expected of a run. @param now epoch ms */
export function isUnderWay(run: Course, now: number): boolean {
  const { dispatch_status, pipeline_status, finished_at, attempt, verdict } = run;
  if (dispatch_status === 'pending' || (attempt !== null && verdict === null)) return true;
  if (pipeline_status !== null) return pipeline_status === 'queued' || pipeline_status === 'running';
  return dispatch_status === 'success' && now - Date.parse(finished_at ?? '') < FIRST_REPORT_MS;
}

/** What a page waits for that follows a run: the end of a call, of a pipeline, or the first report of one. */
export const awaited = ({ dispatch_status, pipeline_status, attempt }: Omit<Course, 'finished_at'>): string =>
  attempt === null && dispatch_status !== 'pending' && pipeline_status === null
    ? 'The call is over. If a pipeline reports, that is shown here.'
    : 'The page follows it.';

const FIRST_MS = 1_000;
const MAX_POLL_MS = 15_000;
const HIDDEN_MS = 60_000;

type Watching = {
  /** Looks in a row that brought nothing new, or failed. */
  quiet: number;
  hidden: boolean;
  /** Seconds that the service asked to be left alone. */
  retryAfter: number | undefined;
};

/**
 * Milliseconds from one look at a run to the next: 1 s while it says something, half as much again with each look that
 * brought nothing, up to 15 s; 60 s while the tab is hidden, and never sooner than the service asked for.
 */
export function watchInterval({ quiet, hidden, retryAfter = 0 }: Watching): number {
  const usual = hidden ? HIDDEN_MS : Math.min(MAX_POLL_MS, FIRST_MS * 1.5 ** Math.min(quiet, 20));
  return Math.max(usual, retryAfter * 1000);
}
