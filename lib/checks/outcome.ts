import * as z from 'zod';
import type { AssertionResult, AssertionResults } from '#lib/checks/assertions/evaluate.ts';
import type { AssertionErrorKind } from '#lib/checks/assertions/sources.ts';
import { NetError, type NetErrorKind } from '#lib/net/net.ts';
import { shorten } from '#lib/platform/text.ts';

const MAX_MESSAGE = 500;

/** What one run comes to; `warn` and `ok` are both successes. */
export const Outcome = z.enum(['ok', 'warn', 'fail']);
export type Outcome = z.infer<typeof Outcome>;

/** A failed run may carry a warning too; it is a failure all the same. */
export function outcomeOf({ success, warning_message }: Pick<ProbeOutcome, 'success' | 'warning_message'>): Outcome {
  if (!success) return 'fail';
  return warning_message ? 'warn' : 'ok';
}

/** The text that decided a run: its error, or its warning; empty where all was well. */
export const reasonOf = (run: Pick<ProbeOutcome, 'success' | 'error_message' | 'warning_message'>): string =>
  (run.success ? run.warning_message : run.error_message) ?? '';

/** A probe that found what it wanted. */
export const succeeded = (latency_ms: number, status_code = 0): ProbeOutcome<never> => ({
  success: true,
  status_code,
  latency_ms,
  error_message: '',
  error_kind: null,
});

/** A probe whose target answered, but not as it should. */
export const failed = <Kind extends string>(
  kind: Kind,
  message: string,
  latency_ms: number,
  status_code = 0,
): ProbeOutcome<Kind> => ({
  success: false,
  status_code,
  latency_ms,
  error_message: shorten(message, MAX_MESSAGE),
  error_kind: kind,
});

/**
 * What a probe found, with what its assertions say of it. What it failed for before them goes first; the first failure
 * and the first warning are told, and how many more there are.
 */
export function withVerdict<Outcome extends ProbeOutcome>(
  found: Outcome,
  { failures, warnings, judged }: AssertionResults,
): Outcome | (Omit<Outcome, 'error_kind'> & { error_kind: Outcome['error_kind'] | AssertionErrorKind }) {
  const [first] = failures;
  const error = !found.success
    ? { error_message: andMore(found.error_message, failures.length) }
    : first && { success: false, error_kind: first.kind, error_message: andMore(first.message, failures.length - 1) };
  const warning_message = warnings[0] && andMore(warnings[0].message, warnings.length - 1);
  return {
    ...found,
    ...error,
    ...(warning_message && { warning_message }),
    ...(judged.length > 0 && { assertions: judged }),
  };
}

/** A message, and how many more there are. */
function andMore(message: string, more: number): string {
  const rest = more > 0 ? ` (and ${more} more)` : '';
  return shorten(message, MAX_MESSAGE - rest.length) + rest;
}

/** Runs a probe; a failure of the network becomes its outcome. Anything else that is thrown is a fault of ours. */
export async function probing<Outcome extends ProbeOutcome>(
  probe: () => Promise<Outcome>,
): Promise<Outcome | ProbeOutcome<NetErrorKind>> {
  try {
    return await probe();
  } catch (error) {
    if (!(error instanceof NetError)) throw error;
    const outcome = failed(error.kind, error.message, error.latency_ms, error.status);
    return {
      ...outcome,
      ...(isUnanswered(error) && { unanswered: true }),
      ...(error.interrupted && { interrupted: true }),
    };
  }
}

/** Refused and reset connections are answers; look-ups, time-outs and unreachable hosts may be our own network's. */
const isUnanswered = (error: NetError): boolean =>
  !error.answered && (error.kind === 'dns' || error.kind === 'timeout' || error.kind === 'connect');

/**
 * What one probe found, and beside it the `result` members of the type. A probe returns it, whatever the target did; it
 * throws only on a fault of ours.
 */
export type ProbeOutcome<Kind extends string = string> = {
  success: boolean;
  /** 0 without an HTTP response. */
  status_code: number;
  latency_ms: number;
  /**
   * Empty when none. At most 500 characters; says what was wrong and what to do. The latency in it, or in a warning, is
   * the word `{latency_ms}`, which is filled in on reading: so runs that say the same store it once.
   */
  error_message: string;
  error_kind: Kind | null;
  /** What was not as it should be and is no failure: it makes a success a warning. At most 500 characters. */
  warning_message?: string;
  /** Of a check with assertions: how each was judged. */
  assertions?: AssertionResult[];
  /** The target did not answer at all, so that our own network may be to blame. */
  unanswered?: boolean;
  /** No answer came in time, or the connection was closed, so that a stall of our own may be to blame. */
  interrupted?: boolean;
};
