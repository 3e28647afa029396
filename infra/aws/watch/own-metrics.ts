import { Duration, Stack } from 'aws-cdk-lib';
import { Metric } from 'aws-cdk-lib/aws-cloudwatch';
import type { Construct } from 'constructs';
import { isFed, isLimited } from '#infra/aws/bundle/entry.ts';
import { type FunctionName, functions, queues, schedules } from '#infra/topology.ts';

/** Where the functions put their own metrics. Two stacks of one account and region do not count together. */
export const namespaceOf = (scope: Construct): string => `Fleetwatch/${Stack.of(scope).stackName}`;

type OwnMetrics = {
  /** How late (s) each schedule is handled. */
  lag: { schedule: string; consumer: FunctionName; metric: Metric }[];
  /** Records that each function which is fed gave back. */
  failedRecords: { reader: FunctionName; metric: Metric }[];
  /** Deliveries that ended as failed. */
  failedDeliveries: Metric;
  /** Probes that were left out, as they came later than their interval by no fault of their account. */
  lateProbes: Metric;
  /** Pings beyond the rate of their client, their URL or their account; and those of addresses that lead nowhere. */
  refusedPings: Metric;
  unknownPings: Metric;
  /** Requests that were let in, as their rate could not be judged. */
  limiterFailed: { name: FunctionName; metric: Metric }[];
};

/** What the functions themselves publish (lib/aws/metrics.ts), by the minute. */
export function ownMetrics(scope: Construct): OwnMetrics {
  const of = (metricName: string, service: FunctionName, statistic: 'Maximum' | 'Sum') =>
    new Metric({
      namespace: namespaceOf(scope),
      metricName,
      dimensionsMap: { service },
      period: Duration.minutes(1),
      statistic,
    });
  return {
    lag: schedules.map(({ name, queue }) => {
      const { consumer } = queues[queue];
      return { schedule: name, consumer, metric: of('ScheduleLag', consumer, 'Maximum') };
    }),
    failedRecords: (Object.keys(functions) as FunctionName[])
      .filter(isFed)
      .map((reader) => ({ reader, metric: of('FailedRecords', reader, 'Sum') })),
    failedDeliveries: of('FailedDeliveries', 'deliverer', 'Sum'),
    lateProbes: of('LateProbes', 'prober', 'Sum'),
    refusedPings: of('RefusedPings', 'ingest', 'Sum'),
    unknownPings: of('UnknownPings', 'ingest', 'Sum'),
    limiterFailed: (Object.keys(functions) as FunctionName[])
      .filter(isLimited)
      .map((name) => ({ name, metric: of('LimiterFailed', name, 'Sum') })),
  };
}
