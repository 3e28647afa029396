import { Duration } from 'aws-cdk-lib';
import type { HttpApi } from 'aws-cdk-lib/aws-apigatewayv2';
import { Alarm, ComparisonOperator, type IMetric, Metric, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import type { TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import { FilterPattern, MetricFilter } from 'aws-cdk-lib/aws-logs';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import { queues as queueSpecs, schedules, streams } from '#infra/topology.ts';
import type { QueueName } from '#lib/messages.ts';
import type { Functions } from './functions.ts';
import type { DeploySettings } from './settings.ts';

export type Watched = {
  table: TableV2;
  queues: Record<QueueName, Queue>;
  deadLetters: Queue[];
  functions: Functions;
  api: HttpApi;
};

const NAMESPACE = 'Fleetwatch';
const MINUTE = Duration.minutes(1);
/** A check may be a minute late (ticks are), two are a fault of ours. */
const LATE_SECONDS = 120;
/** A transition waits this long for its reader at most before somebody looks. */
const STREAM_LAG_MS = 60_000;

type Rule = {
  name: string;
  says: string;
  metric: IMetric;
  above: number;
  minutes?: number;
  missing?: TreatMissingData;
};

/** Alarms on what the service cannot tell its users about; all of them reach one topic. */
export function makeAlarms(scope: Construct, watched: Watched, settings: DeploySettings): Topic {
  const topic = new Topic(scope, 'Alarms', { displayName: 'Fleetwatch alarms', enforceSSL: true });
  if (settings.ALARM_EMAIL !== '') topic.addSubscription(new EmailSubscription(settings.ALARM_EMAIL));
  const action = new SnsAction(topic);
  for (const { name, says, metric, above, minutes = 1, missing } of rules(scope, watched)) {
    const alarm = new Alarm(scope, `Alarm-${name}`, {
      alarmDescription: says,
      metric,
      threshold: above,
      comparisonOperator: ComparisonOperator.GREATER_THAN_THRESHOLD,
      evaluationPeriods: minutes,
      treatMissingData: missing ?? TreatMissingData.NOT_BREACHING,
    });
    alarm.addAlarmAction(action);
    alarm.addOkAction(action);
  }
  return topic;
}

function rules(scope: Construct, { table, queues, deadLetters, functions, api }: Watched): Rule[] {
  const max = { period: MINUTE, statistic: 'Maximum' };
  const sum = { period: MINUTE, statistic: 'Sum' };
  return [
    ...deadLetters.map((queue) => ({
      name: `${queue.node.id}`,
      says: `Work failed for good and lies in ${queue.node.id}. Read its messages and the log of its function.`,
      metric: queue.metricApproximateNumberOfMessagesVisible(max),
      above: 0,
    })),
    ...schedules.map(({ name, queue }) => ({
      name: `lag-${name}`,
      says: `Checks are emitted more than ${LATE_SECONDS} s late. Look at ${queueSpecs[queue].consumer}: errors, throttles.`,
      metric: new Metric({
        namespace: NAMESPACE,
        metricName: 'ScheduleLag',
        dimensionsMap: { service: queueSpecs[queue].consumer },
        ...max,
      }),
      above: LATE_SECONDS,
      minutes: 3,
      // No tick at all is the worst lag.
      missing: TreatMissingData.BREACHING,
    })),
    {
      name: 'lag-job',
      says: `Probes wait more than ${LATE_SECONDS} s for a prober. Raise the concurrency of the queue job (infra/topology.ts).`,
      metric: queues.job.metricApproximateAgeOfOldestMessage(max),
      above: LATE_SECONDS,
      minutes: 3,
    },
    ...streams.map(({ name, function: reader }) => ({
      name: `stream-${name}`,
      says: `Transitions reach ${reader} more than a minute late: alerts wait. Look at its log.`,
      metric: functions[reader].metric('IteratorAge', max),
      above: STREAM_LAG_MS,
      minutes: 3,
    })),
    {
      name: 'deliveries',
      says: 'Alerts did not reach their channel after three attempts. GET /v1/notify/logs of the tenant says why.',
      metric: failedDeliveries(scope, functions, sum),
      above: 0,
    },
    ...Object.entries(functions).flatMap(([name, one]) => [
      {
        name: `throttles-${name}`,
        says: `${name} is throttled: the account has no concurrency left. Ask for more, or reserve some for it.`,
        metric: one.metricThrottles(sum),
        above: 0,
        minutes: 3,
      },
      {
        name: `errors-${name}`,
        says: `${name} fails as a whole (an exception or a time-out). Search its log for "a function failed".`,
        metric: one.metricErrors(sum),
        above: 3,
        minutes: 3,
      },
    ]),
    ...['ReadThrottleEvents', 'WriteThrottleEvents'].map((metricName) => ({
      name: `table-${metricName}`,
      says: 'DynamoDB throttles: one partition is too hot. docs/SCALE.md says which setting spreads it.',
      metric: new Metric({
        namespace: 'AWS/DynamoDB',
        metricName,
        dimensionsMap: { TableName: table.tableName },
        ...sum,
      }),
      above: 10,
      minutes: 3,
    })),
    {
      name: '5xx',
      says: 'The API answers 5xx. Search the log of the function api for "request failed".',
      metric: api.metricServerError(sum),
      above: 5,
      minutes: 3,
    },
  ];
}

/** Counted from the line that the deliverer writes at each attempt. */
function failedDeliveries(scope: Construct, functions: Functions, sum: object): IMetric {
  new MetricFilter(scope, 'Failed-deliveries', {
    logGroup: functions.deliverer.logGroup,
    filterPattern: FilterPattern.all(
      FilterPattern.stringValue('$.message', '=', 'an alert was attempted'),
      FilterPattern.stringValue('$.status', '=', 'failed'),
    ),
    metricNamespace: NAMESPACE,
    metricName: 'FailedDeliveries',
    metricValue: '1',
  });
  return new Metric({ namespace: NAMESPACE, metricName: 'FailedDeliveries', ...sum });
}
