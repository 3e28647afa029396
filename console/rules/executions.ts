import type { Execution, State } from '#console/api/records.ts';

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

/** Returns the result of the request. */
export const dispatchMark = ({ dispatch_status }: Pick<Execution, 'dispatch_status'>): Mark =>
  DISPATCH[dispatch_status];

/** Returns the last report of the pipeline; undefined without one. */
export const pipelineMark = ({ pipeline_status }: Pick<Execution, 'pipeline_status'>): Mark | undefined =>
  pipeline_status === null ? undefined : PIPELINE[pipeline_status];

const VERDICT: Readonly<Record<NonNullable<Execution['verdict']>, Mark>> = {
  recovered: { state: 'up', word: 'Recovered' },
  not_recovered: { state: 'down', word: 'Not recovered' },
  already_healthy: { state: 'unknown', word: 'Already healthy' },
  unverified: { state: 'unknown', word: 'Unverified' },
};

/** Returns the verdict of a remediation; undefined for other executions and until it is known. */
export const verdictMark = ({ verdict }: Pick<Execution, 'verdict'>): Mark | undefined =>
  verdict === null ? undefined : VERDICT[verdict];

export const outcome = (execution: Pick<Execution, 'dispatch_status' | 'pipeline_status' | 'verdict'>): Mark =>
  verdictMark(execution) ?? pipelineMark(execution) ?? dispatchMark(execution);

/** Time in ms to wait for the first report of the pipeline after the request. */
const FIRST_REPORT_MS = 10 * 60_000;

type Course = Pick<Execution, 'dispatch_status' | 'pipeline_status' | 'finished_at' | 'attempt' | 'verdict'>;

/** Whether an execution can still change. @param now epoch ms */
export function isUnderWay(execution: Course, now: number): boolean {
  const { dispatch_status, pipeline_status, finished_at, attempt, verdict } = execution;
  if (dispatch_status === 'pending' || (attempt !== null && verdict === null)) return true;
  if (pipeline_status !== null) return pipeline_status === 'queued' || pipeline_status === 'running';
  return dispatch_status === 'success' && now - Date.parse(finished_at ?? '') < FIRST_REPORT_MS;
}

/** Returns the hint for an execution that can still change. */
export const updateHint = ({ dispatch_status, pipeline_status, attempt }: Omit<Course, 'finished_at'>): string =>
  attempt === null && dispatch_status !== 'pending' && pipeline_status === null
    ? 'The request is finished. Pipeline reports appear here.'
    : 'Updating live.';

const FIRST_MS = 1_000;
const MAX_POLL_MS = 15_000;
const HIDDEN_MS = 60_000;

type PollInput = {
  /** Number of consecutive polls that failed or returned nothing new. */
  quiet: number;
  hidden: boolean;
  /** Seconds from the header Retry-After. */
  retryAfter: number | undefined;
};

/** Returns the poll interval in ms: 1 s with news, growing to 15 s without; 60 s when hidden; at least `retryAfter`. */
export function watchInterval({ quiet, hidden, retryAfter = 0 }: PollInput): number {
  const usual = hidden ? HIDDEN_MS : Math.min(MAX_POLL_MS, FIRST_MS * 1.5 ** Math.min(quiet, 20));
  return Math.max(usual, retryAfter * 1000);
}
