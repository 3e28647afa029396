import { memberOf } from '#lib/platform/plain-data.ts';
import type { Metrics } from '#lib/platform/ports.ts';

/**
 * Writes one value of a metric: a line of CloudWatch's embedded metric format in the function's log, whatever the level
 * of that. The namespace is in POWERTOOLS_METRICS_NAMESPACE, the dimension is the function.
 */
function writeMetric(service: string, name: string, unit: 'Count' | 'Seconds', value: number): void {
  const Namespace = process.env.POWERTOOLS_METRICS_NAMESPACE;
  const CloudWatchMetrics = [{ Namespace, Dimensions: [['service']], Metrics: [{ Name: name, Unit: unit }] }];
  const line = { _aws: { Timestamp: Date.now(), CloudWatchMetrics }, service, [name]: value };
  process.stdout.write(`${JSON.stringify(line)}\n`);
}

/** Counts by a line each, at once: what is kept until a run ends goes with a run that is cut off. */
export const countMetrics = (service: string): Metrics => ({
  count: (name) => writeMetric(service, name, 'Count', 1),
});

/**
 * How late (s) a message of EventBridge Scheduler is handled, by the time that it was scheduled for; undefined for
 * every other event.
 */
export function scheduleLag(event: unknown, now: number): number | undefined {
  const records = memberOf(event, 'Records');
  const body = Array.isArray(records) ? memberOf(records[0], 'body') : undefined;
  if (typeof body !== 'string' || !body.includes('"scheduled_time"')) return undefined;
  const at = Date.parse(String(memberOf(JSON.parse(body), 'scheduled_time')));
  return Number.isNaN(at) ? undefined : Math.max(0, (now - at) / 1000);
}

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
    const failures = memberOf(answer, 'batchItemFailures');
    const failed = Array.isArray(failures) ? failures.length : 0;
    if (failed > 0) writeMetric(service, 'FailedRecords', 'Count', failed);
    const lag = scheduleLag(event, Date.now());
    // A tick that failed emitted nothing. Silence says so: missing lag is what the alarm takes for the worst.
    if (lag !== undefined && failed === 0) writeMetric(service, 'ScheduleLag', 'Seconds', lag);
  },
});
