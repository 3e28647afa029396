import { Duration } from 'aws-cdk-lib';
import { Dashboard, GraphWidget, type IMetric, Metric } from 'aws-cdk-lib/aws-cloudwatch';
import type { Construct } from 'constructs';
import { streaming, streams } from '#infra/topology.ts';
import { ownMetrics } from './own-metrics.ts';
import type { Watched } from './rule.ts';

/** Creates dashboards for load, limits and failures, with all alarm metrics; each is free with up to 50 metrics. */
export function makeDashboards(scope: Construct, watched: Watched): void {
  new Dashboard(scope, 'Dashboard', { widgets: layoutOf(ofWork(scope, watched)) });
  new Dashboard(scope, 'Dashboard-limits', { widgets: layoutOf(ofLimits(scope, watched)) });
  new Dashboard(scope, 'Dashboard-faults', { widgets: layoutOf(ofFaults(scope, watched)) });
}

const ROW_LENGTH = 3;
const layoutOf = (graphs: GraphWidget[]): GraphWidget[][] =>
  Array.from({ length: Math.ceil(graphs.length / ROW_LENGTH) }, (_, i) =>
    graphs.slice(i * ROW_LENGTH, (i + 1) * ROW_LENGTH),
  );

const max = { period: Duration.minutes(1), statistic: 'Maximum' };
const sum = { period: Duration.minutes(1), statistic: 'Sum' };
const graph = (title: string, left: IMetric[]) => new GraphWidget({ title, left, width: 24 / ROW_LENGTH, height: 6 });

function ofWork(scope: Construct, { queues, functions, api }: Watched): GraphWidget[] {
  const all = Object.values(functions);
  const lag = ownMetrics(scope).lag.map((one) => one.metric);
  const ages = Object.values(queues).map((queue) => queue.metricApproximateAgeOfOldestMessage(max));
  const streamAges = streams.map((stream) => functions[stream.function].metric('IteratorAge', max));
  const byUrl = [...streaming, 'ingest' as const].map((name) => functions[name].metric('UrlRequestCount', sum));
  return [
    graph('Schedule lag (s)', lag),
    graph('Oldest message (s)', ages),
    graph('Stream age (ms)', streamAges),
    graph('Requests', [api.metricCount(sum), api.metricClientError(sum), ...byUrl]),
    graph('Latency (ms, p99)', [api.metricLatency({ period: Duration.minutes(1), statistic: 'p99' })]),
    graph(
      'Invocations',
      all.map((one) => one.metricInvocations(sum)),
    ),
  ];
}

function ofLimits(scope: Construct, { table, functions }: Watched): GraphWidget[] {
  const { refusedPings, unknownPings } = ownMetrics(scope);
  return [
    graph('Units of the table', [
      ofTable(table, 'ConsumedWriteCapacityUnits'),
      ofTable(table, 'ConsumedReadCapacityUnits'),
    ]),
    graph('Throttles', [
      new Metric({ ...ofLambda, metricName: 'Throttles', ...sum }),
      ...Object.values(functions).map((one) => one.metricThrottles(sum)),
      new Metric({ ...ofLambda, metricName: 'RecursiveInvocationsDropped', ...sum }),
      ofTable(table, 'WriteThrottleEvents'),
      ofTable(table, 'ReadThrottleEvents'),
    ]),
    graph(
      'Errors',
      Object.values(functions).map((one) => one.metricErrors(sum)),
    ),
    graph('Rejected pings, unknown ping URLs', [refusedPings, unknownPings]),
    graph('Concurrency of the account', [new Metric({ ...ofLambda, metricName: 'ClaimedAccountConcurrency', ...max })]),
  ];
}

function ofFaults(scope: Construct, { deadLetters, functions, api, throttledPushes }: Watched): GraphWidget[] {
  const { failedRecords, failedDeliveries, lateProbes, limiterFailed } = ownMetrics(scope);
  const dead = deadLetters.map((queue) => queue.metricApproximateNumberOfMessagesVisible(max));
  return [
    graph('Dead letters', dead),
    graph('Failed deliveries, late probes', [failedDeliveries, lateProbes]),
    graph('Requests with failed limiter, rejected pushes', [
      ...limiterFailed.map((one) => one.metric),
      throttledPushes,
    ]),
    graph(
      'Failed records',
      failedRecords.map((one) => one.metric),
    ),
    graph('5xx', [
      api.metricServerError(sum),
      ...[...streaming, 'ingest' as const].map((name) => functions[name].metric('Url5xxCount', sum)),
    ]),
  ];
}

const ofLambda = { namespace: 'AWS/Lambda' };

const ofTable = (table: Watched['table'], metricName: string): Metric =>
  new Metric({ namespace: 'AWS/DynamoDB', metricName, dimensionsMap: { TableName: table.tableName }, ...sum });
