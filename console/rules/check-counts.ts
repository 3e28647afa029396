import type { Check } from '#console/api/records.ts';

type Counted = Pick<
  Check,
  'failure_threshold' | 'recovery_threshold' | 'consecutive_failures' | 'consecutive_warnings' | 'consecutive_successes'
>;

/** How far a check is on its way to another state: `2 of 3 failures`. Empty where it is on no way. */
export function countsOf(check: Counted): string[] {
  const { failure_threshold, recovery_threshold, consecutive_successes: successes } = check;
  const { consecutive_failures: failures, consecutive_warnings: warnings } = check;
  const isOnItsWay = (counter: number, threshold: number) => counter > 0 && counter < threshold;
  return [
    isOnItsWay(failures, failure_threshold) && `${failures} of ${failure_threshold} failures`,
    // Each failure is counted among them: alone they say nothing new.
    isOnItsWay(warnings, failure_threshold) && warnings > failures && `${warnings} of ${failure_threshold} warnings`,
    isOnItsWay(successes, recovery_threshold) && `${successes} of ${recovery_threshold} successes`,
  ].filter((text) => text !== false);
}
