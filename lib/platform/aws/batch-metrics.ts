import { Metrics, MetricUnit } from '@aws-lambda-powertools/metrics';
import { scheduleLag } from './schedule-lag.ts';

const NAMESPACE = 'Fleetwatch';

/** Looks at a run that has ended. */
export type Measure = (event: unknown, answer: unknown) => void;

/**
 * What no metric of AWS shows of a function that is fed by a queue or a stream, as metrics of our own (EMF, in its
 * log): `FailedRecords`, given back one by one, and `ScheduleLag` (s) of what the schedule sends.
 */
export function batchMetrics(service: string): Measure {
  const metrics = new Metrics({ namespace: NAMESPACE, serviceName: service });
  return (event, answer) => {
    const failed = (answer as { batchItemFailures?: unknown[] } | undefined)?.batchItemFailures?.length ?? 0;
    if (failed > 0) metrics.addMetric('FailedRecords', MetricUnit.Count, failed);
    const lag = scheduleLag(event, Date.now());
    if (lag !== undefined) metrics.addMetric('ScheduleLag', MetricUnit.Seconds, lag);
    if (metrics.hasStoredMetrics()) metrics.publishStoredMetrics();
  };
}
