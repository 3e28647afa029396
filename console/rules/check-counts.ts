import type { Check } from '#console/api/records.ts';

type Counted = Pick<
  Check,
  'failure_threshold' | 'recovery_threshold' | 'consecutive_failures' | 'consecutive_warnings' | 'consecutive_successes'
>;

/** Returns the progress towards another state: `2 of 3 failures`. Empty without any. */
export function thresholdProgress(check: Counted): string[] {
  const { failure_threshold, recovery_threshold, consecutive_successes: successes } = check;
  const { consecutive_failures: failures, consecutive_warnings: warnings } = check;
  const isCounting = (counter: number, threshold: number) => counter > 0 && counter < threshold;
  return [
    isCounting(failures, failure_threshold) && `${failures} of ${failure_threshold} failures`,
    // Failures also count as warnings; warnings are shown only if there are more of them.
    isCounting(warnings, failure_threshold) && warnings > failures && `${warnings} of ${failure_threshold} warnings`,
    isCounting(successes, recovery_threshold) && `${successes} of ${recovery_threshold} successes`,
  ].filter((text) => text !== false);
}
