import * as z from 'zod';
import type { CheckItem } from './check-item.ts';

/** How many results in a row there are so far, as the API shows it. */
export const Counters = z.object({
  consecutive_failures: z
    .int()
    .describe('Failures in a row so far, counted up to failure_threshold; that while it is down.'),
  consecutive_warnings: z
    .int()
    .describe(
      'Warnings and failures in a row so far, counted up to failure_threshold; that while it is degraded or down.',
    ),
  consecutive_successes: z
    .int()
    .describe(
      'Successes in a row on its way up: of a check that is down, those with a warning count. recovery_threshold while it is up.',
    ),
});
export type Counters = z.infer<typeof Counters>;

/** What is kept of them on a check: those that its state waits for. */
export type KeptCounters = Pick<
  CheckItem,
  | 'state'
  | 'failure_threshold'
  | 'recovery_threshold'
  | 'consecutive_failures'
  | 'consecutive_warnings'
  | 'consecutive_successes'
>;

export function countersOf(check: KeptCounters): Counters {
  const { failure_threshold, recovery_threshold, consecutive_failures } = check;
  const { consecutive_warnings = 0, consecutive_successes = 0 } = check;
  switch (check.state) {
    case 'unknown':
      return { consecutive_failures, consecutive_warnings, consecutive_successes: 0 };
    case 'up':
      return { consecutive_failures, consecutive_warnings, consecutive_successes: recovery_threshold };
    case 'degraded':
      return { consecutive_failures, consecutive_warnings: failure_threshold, consecutive_successes };
    case 'down':
      return {
        consecutive_failures: failure_threshold,
        consecutive_warnings: failure_threshold,
        consecutive_successes,
      };
  }
}
