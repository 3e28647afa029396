import { Duration } from 'aws-cdk-lib';
import { Dashboard, GraphWidget, type IMetric, Metric } from 'aws-cdk-lib/aws-cloudwatch';
import type { Construct } from 'constructs';
import { streaming, streams } from '#infra/topology.ts';
import { ownMetrics } from './own-metrics.ts';
import type { Watched } from './rule.ts';

/**
 * Three dashboards: the work, the limits that it meets, and the faults. Each has at most 50 metrics, which is what AWS
 * has free. The metric of every alarm is on one of them.
 */
export function makeDashboards(scope: Construct, watched: Watched): void {
  new Dashboard(scope, 'Dashboard', { widgets: inRoutes(ofWork(scope, watched)) });
  new Dashboard(scope, 'Dashboard-limits', { widgets: inRoutes(ofLimits(scope, watched)) });
  new Dashboard(scope, 'Dashboard-faults', { widgets: inRoutes(ofFaults(scope, watched)) });
}

const A_ROW = 3;
const inRoutes = (graphs: GraphWidget[]): GraphWidget[][] =>
  Array.from({ length: Math.ceil(graphs.length / A_ROW) }, (_, i) => graphs.slice(i * A_ROW, (i + 1) * A_ROW));

const max = { period: Duration.minutes(1), statistic: 'Maximum' };
const sum = { period: Duration.minutes(1), statistic: 'Sum' };
const graph = (title: string, left: IMetric[]) => new GraphWidget({ title, left, width: 24 / A_ROW, height: 6 });

/** Is it on time, and what does it do. */
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

/** What it uses of what AWS gives it, what it is refused, and what it refuses. */
function ofLimits(scope: Construct, { table, functions }: Watched): GraphWidget[] {
  const { refusedPings, unknownPings } = ownMetrics(scope);
  return [
    graph('Units of the table', [
      ofTable(table, 'ConsumedWriteCapacityUnits'),
      ofTable(table, 'ConsumedReadCapacityUnits'),
    ]),
    graph('Throttles', [
      ...Object.values(functions).map((one) => one.metricThrottles(sum)),
      new Metric({ ...ofLambda, metricName: 'RecursiveInvocationsDropped', ...sum }),
      ofTable(table, 'WriteThrottleEvents'),
      ofTable(table, 'ReadThrottleEvents'),
    ]),
    graph('Pings refused, and to nowhere', [refusedPings, unknownPings]),
    graph('Concurrency of the account', [new Metric({ ...ofLambda, metricName: 'ClaimedAccountConcurrency', ...max })]),
  ];
}

/** What fails, or was given up. */
function ofFaults(scope: Construct, { deadLetters, functions, api, throttledPushes }: Watched): GraphWidget[] {
  const all = Object.values(functions);
  const { failedRecords, failedDeliveries, lateProbes, limiterFailed } = ownMetrics(scope);
  const dead = deadLetters.map((queue) => queue.metricApproximateNumberOfMessagesVisible(max));
  return [
    graph('Dead letters', dead),
    graph('Failed deliveries, late probes', [failedDeliveries, lateProbes]),
    graph('Requests let in uncounted, pushes refused', [...limiterFailed.map((one) => one.metric), throttledPushes]),
    graph(
      'Records given back',
      failedRecords.map((one) => one.metric),
    ),
    graph(
      'Errors',
      all.map((one) => one.metricErrors(sum)),
    ),
    graph('5xx', [
      api.metricServerError(sum),
      ...[...streaming, 'ingest' as const].map((name) => functions[name].metric('Url5xxCount', sum)),
    ]),
  ];
}

/** Over all functions of the account. */
const ofLambda = { namespace: 'AWS/Lambda' };

const ofTable = (table: Watched['table'], metricName: string): Metric =>
  new Metric({ namespace: 'AWS/DynamoDB', metricName, dimensionsMap: { TableName: table.tableName }, ...sum });
