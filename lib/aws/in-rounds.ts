import { AppError } from '#lib/platform/errors.ts';
import type { Clock, Ids } from '#lib/platform/ports.ts';

/** What AWS calls it when there are too many requests, in a service's error or in a transaction's reason. */
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
const NO_ANSWER = new Set(['TimeoutError', 'AbortError', 'RequestTimeout', 'RequestTimeoutException']);
const BROKEN = new Set(['ECONNRESET', 'ECONNREFUSED', 'ECONNABORTED', 'EPIPE', 'ETIMEDOUT', 'ENOTFOUND', 'EAI_AGAIN']);

/** Whether this code of a service means: not now, perhaps later. */
export const isThrottle = (code: string | undefined): boolean => code !== undefined && THROTTLED.has(code);

/** The store or queue cannot serve; whether a write took place is unknown. */
export const unavailable = (cause: unknown): AppError =>
  new AppError('UNAVAILABLE', 'The store is busy and did not answer in time. Try again.', {
    headers: { 'retry-after': '1' },
    cause,
  });

type Failure = { name?: string; code?: string; $metadata?: { httpStatusCode?: number } };

/**
 * An SDK error as a port throws it: UNAVAILABLE for what may pass by itself; any other is a fault of ours, as it is.
 */
export function translate(error: unknown): unknown {
  const { name, code, $metadata }: Failure = error ?? {};
  const passes =
    isThrottle(name) ||
    NO_ANSWER.has(name ?? '') ||
    BROKEN.has(code ?? '') ||
    ($metadata?.httpStatusCode ?? 0) >= 500 ||
    name === 'TransactionInProgressException';
  return passes ? unavailable(error) : error;
}

export type Pauses = { clock: Pick<Clock, 'sleep'>; ids: Pick<Ids, 'random'> };

const ROUNDS = 8;
const FIRST_PAUSE_MS = 25;

/**
 * Asks for a batch until nothing is left over: AWS may take a part of it and leave the rest. Waits longer before each
 * round, 25 ms, 50, 100 … and up to half of that again at random.
 * @param ask answers what was left over
 * @throws AppError UNAVAILABLE after eight rounds; some of the batch was done
 */
export async function inRounds<T>(pauses: Pauses, batch: T[], ask: (left: T[]) => Promise<T[]>): Promise<void> {
  let left = batch;
  for (let round = 0; left.length > 0; round++) {
    if (round === ROUNDS) throw unavailable(new Error(`${left.length} of ${batch.length} were left over`));
    if (round > 0) await pauses.clock.sleep(FIRST_PAUSE_MS * 2 ** (round - 1) * (1 + pauses.ids.random() / 2));
    left = await ask(left);
  }
}
