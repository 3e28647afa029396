import * as z from 'zod';
import type { AssertionResult, AssertionResults } from '#lib/checks/assertions/evaluate.ts';
import type { AssertionErrorKind } from '#lib/checks/assertions/sources.ts';
import { NetError, type NetErrorKind } from '#lib/net/net.ts';
import { shorten } from '#lib/platform/text.ts';

const MAX_MESSAGE = 500;

/** Outcome of a result; `warn` and `ok` are successes. */
export const Outcome = z.enum(['ok', 'warn', 'fail']);
export type Outcome = z.infer<typeof Outcome>;

/** Returns the outcome of a result. A failed result can carry a warning too; it remains a failure. */
export function outcomeOf({ success, warning_message }: Pick<ProbeOutcome, 'success' | 'warning_message'>): Outcome {
  if (!success) return 'fail';
  return warning_message ? 'warn' : 'ok';
}

/** Returns the text that decided a result: error or warning; empty if there is neither. */
export const reasonOf = (result: Pick<ProbeOutcome, 'success' | 'error_message' | 'warning_message'>): string =>
  (result.success ? result.warning_message : result.error_message) ?? '';

export const succeeded = (latency_ms: number, status_code = 0): ProbeOutcome<never> => ({
  success: true,
  status_code,
  latency_ms,
  error_message: '',
  error_kind: null,
});

/** Returns the outcome of a failed probe. */
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

/** Adds assertion results to an outcome: the first failure and warning, and the number of others. */
export function withAssertionResults<Outcome extends ProbeOutcome>(
  found: Outcome,
  { failures, warnings, evaluated }: AssertionResults,
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
    ...(evaluated.length > 0 && { assertions: evaluated }),
  };
}

function andMore(message: string, more: number): string {
  const rest = more > 0 ? ` (and ${more} more)` : '';
  return shorten(message, MAX_MESSAGE - rest.length) + rest;
}

/** Runs a probe and converts a network failure to its outcome. Other errors are internal and rethrown. */
export async function outcomeOfProbe<Outcome extends ProbeOutcome>(
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

/** Failed lookups, timeouts and unreachable hosts can be due to the service's own network; refusals cannot. */
const isUnanswered = (error: NetError): boolean =>
  !error.answered && (error.kind === 'dns' || error.kind === 'timeout' || error.kind === 'connect');

/** Outcome of a probe; types add their `result` properties (check-type.ts). A probe throws only internal errors. */
export type ProbeOutcome<Kind extends string = string> = {
  success: boolean;
  /** 0 without an HTTP response. */
  status_code: number;
  latency_ms: number;
  /** Empty if successful; at most 500 characters. Readers fill in `{latency_ms}`, so packs store equal texts once. */
  error_message: string;
  error_kind: Kind | null;
  /** Problem that turns a success into a warning. At most 500 characters. */
  warning_message?: string;
  assertions?: AssertionResult[];
  /** Whether the target did not respond, so that the service's own network can be the cause. */
  unanswered?: boolean;
  /** Whether it timed out or the connection was closed, so that a stall of this process can be the cause. */
  interrupted?: boolean;
};
