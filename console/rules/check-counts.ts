import type { Check } from '#console/api/records.ts';

type Counted = Pick<
  Check,
  'failure_threshold' | 'recovery_threshold' | 'consecutive_failures' | 'consecutive_warnings' | 'consecutive_successes'
>;

/** Describes the progress toward another state: `2 of 3 failures`. Empty if no change is unconfirmed. */
export function progressTexts(check: Counted): string[] {
  const { failure_threshold, recovery_threshold, consecutive_successes: successes } = check;
  const { consecutive_failures: failures, consecutive_warnings: warnings } = check;
  const isCounting = (counter: number, threshold: number) => counter > 0 && counter < threshold;
  return [
    isCounting(failures, failure_threshold) && `${failures} of ${failure_threshold} failures`,
    // A failure also counts as a warning, so warnings are shown only if they outnumber the failures.
    isCounting(warnings, failure_threshold) && warnings > failures && `${warnings} of ${failure_threshold} warnings`,
    isCounting(successes, recovery_threshold) && `${successes} of ${recovery_threshold} successes`,
  ].filter((text) => text !== false);
}
