import { Duration } from 'aws-cdk-lib';
import { Dashboard, GraphWidget, type IMetric, Metric } from 'aws-cdk-lib/aws-cloudwatch';
import type { Construct } from 'constructs';
import { streams } from '#infra/topology.ts';
import type { Watched } from './alarms.ts';

/** One page on how the service fares: is it on time, does it fail, what does it do. */
export function makeDashboard(scope: Construct, { table, queues, deadLetters, functions, api }: Watched): void {
  const max = { period: Duration.minutes(1), statistic: 'Maximum' };
  const sum = { period: Duration.minutes(1), statistic: 'Sum' };
  const graph = (title: string, left: IMetric[]) => new GraphWidget({ title, left, width: 8, height: 6 });
  const ofTable = (metricName: string) =>
    new Metric({ namespace: 'AWS/DynamoDB', metricName, dimensionsMap: { TableName: table.tableName }, ...sum });
  const all = Object.values(functions);
  const lag = new Metric({
    namespace: 'Fleetwatch',
    metricName: 'ScheduleLag',
    dimensionsMap: { service: 'generator' },
  });
  new Dashboard(scope, 'Dashboard', {
    widgets: [
      [
        graph('Schedule lag (s)', [lag.with(max)]),
        graph(
          'Oldest message (s)',
          Object.values(queues).map((queue) => queue.metricApproximateAgeOfOldestMessage(max)),
        ),
        graph(
          'Dead letters',
          deadLetters.map((queue) => queue.metricApproximateNumberOfMessagesVisible(max)),
        ),
      ],
      [
        graph('Requests', [api.metricCount(sum), api.metricClientError(sum), api.metricServerError(sum)]),
        graph('Latency (ms, p99)', [api.metricLatency({ period: Duration.minutes(1), statistic: 'p99' })]),
        graph(
          'Stream age (ms)',
          streams.map((stream) => functions[stream.function].metric('IteratorAge', max)),
        ),
      ],
      [
        graph(
          'Invocations',
          all.map((one) => one.metricInvocations(sum)),
        ),
        graph(
          'Errors and throttles',
          all.flatMap((one) => [one.metricErrors(sum), one.metricThrottles(sum)]),
        ),
        graph('Units of the table', [
          ofTable('ConsumedWriteCapacityUnits'),
          ofTable('ConsumedReadCapacityUnits'),
          ofTable('WriteThrottleEvents'),
          ofTable('ReadThrottleEvents'),
        ]),
      ],
    ],
  });
}
