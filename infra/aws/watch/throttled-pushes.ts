import { Duration } from 'aws-cdk-lib';
import type { Metric } from 'aws-cdk-lib/aws-cloudwatch';
import { FilterPattern, type ILogGroup, MetricFilter } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import { routes } from '#infra/topology.ts';
import { namespaceOf } from './own-metrics.ts';

/** Counts results, heartbeats and pings that API Gateway rejects. Uses the access log, because 429 has no metric. */
export function throttledPushes(scope: Construct, accessLog: ILogGroup): Metric {
  const is = (field: string, value: string) => FilterPattern.stringValue(`$.${field}`, '=', value);
  const pushes = routes.filter((route) => route.function === 'ingest');
  const filter = new MetricFilter(scope, 'ThrottledPushes', {
    logGroup: accessLog,
    metricNamespace: namespaceOf(scope),
    metricName: 'ThrottledPushes',
    metricValue: '1',
    filterPattern: FilterPattern.all(
      is('status', '429'),
      is('integration_status', '-'),
      FilterPattern.any(...pushes.map(({ method, path }) => is('route', `${method} ${path}`))),
    ),
  });
  return filter.metric({ period: Duration.minutes(1), statistic: 'Sum' });
}
