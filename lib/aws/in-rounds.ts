import { AppError } from '#lib/platform/errors.ts';
import type { Clock, Ids } from '#lib/platform/ports.ts';

const THROTTLED = new Set([
  'ThrottlingException',
  'ThrottlingError',
  'Throttling',
  'ThrottledException',
  'RequestThrottled',
  'RequestThrottledException',
  'ProvisionedThroughputExceededException',
  'ProvisionedThroughputExceeded',
  'RequestLimitExceeded',
  'TooManyRequestsException',
  'LimitExceededException',
  'InternalFailure',
  'InternalException',
  'ServiceUnavailable',
]);
const TIMEOUTS = new Set(['TimeoutError', 'AbortError', 'RequestTimeout', 'RequestTimeoutException']);
const CONNECTION_ERRORS = new Set([
  'ECONNRESET',
  'ECONNREFUSED',
  'ECONNABORTED',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
]);

/** Whether an error code or reason of AWS means throttling or a temporary failure. */
export const isTemporaryFailure = (code: string | undefined): boolean => code !== undefined && THROTTLED.has(code);

/** Returns the error of a store or queue that cannot serve; it is unknown whether a write was committed. */
export const unavailable = (cause: unknown): AppError =>
  new AppError('UNAVAILABLE', 'The store is busy and did not respond in time. Try again.', {
    headers: { 'retry-after': '1' },
    cause,
  });

type Failure = { name?: string; code?: string; $metadata?: { httpStatusCode?: number } };

/** Converts an SDK error: a temporary one becomes UNAVAILABLE, others are internal errors and stay unchanged. */
export function translate(error: unknown): unknown {
  const { name, code, $metadata }: Failure = error ?? {};
  const isTemporary =
    isTemporaryFailure(name) ||
    TIMEOUTS.has(name ?? '') ||
    CONNECTION_ERRORS.has(code ?? '') ||
    ($metadata?.httpStatusCode ?? 0) >= 500 ||
    name === 'TransactionInProgressException';
  return isTemporary ? unavailable(error) : error;
}

export type RetryPorts = { clock: Pick<Clock, 'sleep'>; ids: Pick<Ids, 'random'> };

const MAX_ROUNDS = 8;
const FIRST_PAUSE_MS = 25;

/**
 * Sends a batch in up to eight rounds, because AWS may accept only a part of it. Throws UNAVAILABLE after the last
 * round; a part of the batch may then have been accepted. @param send returns the rejected entries
 */
export async function inRounds<T>(ports: RetryPorts, batch: T[], send: (left: T[]) => Promise<T[]>): Promise<void> {
  let left = batch;
  for (let round = 0; left.length > 0; round++) {
    if (round === MAX_ROUNDS) throw unavailable(new Error(`${left.length} of ${batch.length} were not accepted`));
    if (round > 0) await ports.clock.sleep(FIRST_PAUSE_MS * 2 ** (round - 1) * (1 + ports.ids.random() / 2));
    left = await send(left);
  }
}
