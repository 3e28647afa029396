import { Duration, Stack } from 'aws-cdk-lib';
import { Metric } from 'aws-cdk-lib/aws-cloudwatch';
import type { Construct } from 'constructs';
import { isLimited, receivesBatches } from '#infra/aws/bundle/entry.ts';
import { type FunctionName, functions, queues, schedules } from '#infra/topology.ts';
import { namesOf } from '#lib/platform/plain-data.ts';

export const namespaceOf = (scope: Construct): string => `Fleetwatch/${Stack.of(scope).stackName}`;

type OwnMetrics = {
  lag: { schedule: string; consumer: FunctionName; metric: Metric }[];
  failedRecords: { reader: FunctionName; metric: Metric }[];
  failedDeliveries: Metric;
  /** Slots skipped as later than their interval, except of accounts recently at a limit (`wasAtLimit`). */
  lateProbes: Metric;
  /** Pings above the rate of their client, URL or account. */
  refusedPings: Metric;
  unknownPings: Metric;
  /** Requests that were accepted because their rate could not be read. */
  limiterFailed: { name: FunctionName; metric: Metric }[];
};

/** Returns the metrics that the functions publish (lib/aws/metrics.ts), by the minute. */
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
    failedRecords: namesOf(functions)
      .filter(receivesBatches)
      .map((reader) => ({ reader, metric: of('FailedRecords', reader, 'Sum') })),
    failedDeliveries: of('FailedDeliveries', 'deliverer', 'Sum'),
    lateProbes: of('LateProbes', 'prober', 'Sum'),
    refusedPings: of('RefusedPings', 'ingest', 'Sum'),
    unknownPings: of('UnknownPings', 'ingest', 'Sum'),
    limiterFailed: namesOf(functions)
      // `public` limits only client addresses, in memory, so its limiter does not fail.
      .filter((name) => isLimited(name) && name !== 'public')
      .map((name) => ({ name, metric: of('LimiterFailed', name, 'Sum') })),
  };
}
