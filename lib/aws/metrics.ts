import { countMetrics } from '#lib/platform/aws/count-metric.ts';
import { writeMetric } from '#lib/platform/aws/metric-line.ts';
import { scheduleLag } from '#lib/platform/aws/schedule-lag.ts';
import type { Metrics } from '#lib/platform/ports.ts';

/** Looks at a run that has ended. */
export type Measure = (event: unknown, answer: unknown) => void;

/**
 * What no metric of AWS shows of a function that is fed by a queue or a stream, as metrics of our own. `measure` looks
 * at each run: `FailedRecords`, given back one by one, and `ScheduleLag` (s) of what the schedule sends, once it is
 * done.
 */
export const batchMetrics = (service: string): Metrics & { measure: Measure } => ({
  ...countMetrics(service),
  measure: (event, answer) => {
    const failed = (answer as { batchItemFailures?: unknown[] } | undefined)?.batchItemFailures?.length ?? 0;
    if (failed > 0) writeMetric(service, 'FailedRecords', 'Count', failed);
    const lag = scheduleLag(event, Date.now());
    // A tick that failed emitted nothing. Silence says so: missing lag is what the alarm takes for the worst.
    if (lag !== undefined && failed === 0) writeMetric(service, 'ScheduleLag', 'Seconds', lag);
  },
});
