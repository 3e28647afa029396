import { memberOf } from '#lib/platform/plain-data.ts';
import type { Metrics } from '#lib/platform/ports.ts';

/**
 * Writes a metric in CloudWatch's embedded format, at any log level. The namespace is in
 * POWERTOOLS_METRICS_NAMESPACE, a variable of each Lambda function.
 */
function writeMetric(service: string, name: string, unit: 'Count' | 'Seconds', value: number): void {
  const Namespace = process.env.POWERTOOLS_METRICS_NAMESPACE;
  const CloudWatchMetrics = [{ Namespace, Dimensions: [['service']], Metrics: [{ Name: name, Unit: unit }] }];
  const line = { _aws: { Timestamp: Date.now(), CloudWatchMetrics }, service, [name]: value };
  process.stdout.write(`${JSON.stringify(line)}\n`);
}

/** Returns counters that write each count immediately: buffered counts would be lost with a canceled invocation. */
export const countMetrics = (service: string): Metrics => ({
  count: (name) => writeMetric(service, name, 'Count', 1),
});

/** Returns the delay (s) of a message of EventBridge Scheduler since its scheduled time; undefined for other events. */
export function scheduleLag(event: unknown, now: number): number | undefined {
  const records = memberOf(event, 'Records');
  const body = Array.isArray(records) ? memberOf(records[0], 'body') : undefined;
  if (typeof body !== 'string' || !body.includes('"scheduled_time"')) return undefined;
  const scheduledAt = Date.parse(String(memberOf(JSON.parse(body), 'scheduled_time')));
  return Number.isNaN(scheduledAt) ? undefined : Math.max(0, (now - scheduledAt) / 1000);
}

export type Measure = (event: unknown, result: unknown) => void;

/** Returns metrics of queue and stream functions: `FailedRecords` (retried) and `ScheduleLag` (s). */
export const batchMetrics = (service: string): Metrics & { measure: Measure } => ({
  ...countMetrics(service),
  measure: (event, result) => {
    const failures = memberOf(result, 'batchItemFailures');
    const failed = Array.isArray(failures) ? failures.length : 0;
    if (failed > 0) writeMetric(service, 'FailedRecords', 'Count', failed);
    const lag = scheduleLag(event, Date.now());
    // A failed tick emits no lag: the alarm treats missing data as breaching.
    if (lag !== undefined && failed === 0) writeMetric(service, 'ScheduleLag', 'Seconds', lag);
  },
});
