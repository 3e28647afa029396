import { Duration } from 'aws-cdk-lib';
import { Dashboard, GraphWidget, type IMetric, Metric } from 'aws-cdk-lib/aws-cloudwatch';
import type { Construct } from 'constructs';
import { streaming, streams } from '#infra/topology.ts';
import type { Watched } from './alarms.ts';
import { ownMetrics } from './own-metrics.ts';

/** One page on how the service fares: is it on time, does it fail, what does it do. Every metric of an alarm is on it. */
export function makeDashboard(scope: Construct, { table, queues, deadLetters, functions, api }: Watched): void {
  const max = { period: Duration.minutes(1), statistic: 'Maximum' };
  const sum = { period: Duration.minutes(1), statistic: 'Sum' };
  const graph = (title: string, left: IMetric[]) => new GraphWidget({ title, left, width: 8, height: 6 });
  const ofTable = (metricName: string) =>
    new Metric({ namespace: 'AWS/DynamoDB', metricName, dimensionsMap: { TableName: table.tableName }, ...sum });
  const all = Object.values(functions);
  const { lag, failedRecords, failedDeliveries } = ownMetrics(scope);
  const streamed = streaming.map((name) => functions[name]);
  new Dashboard(scope, 'Dashboard', {
    widgets: [
      [
        graph(
          'Schedule lag (s)',
          lag.map((one) => one.metric),
        ),
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
        graph('Requests', [
          api.metricCount(sum),
          api.metricClientError(sum),
          api.metricServerError(sum),
          ...streamed.flatMap((one) => [one.metric('UrlRequestCount', sum), one.metric('Url5xxCount', sum)]),
        ]),
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
      [
        graph('Failed deliveries', [failedDeliveries]),
        graph(
          'Records given back',
          failedRecords.map((one) => one.metric),
        ),
      ],
    ],
  });
}
