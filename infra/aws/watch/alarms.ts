import { Duration } from 'aws-cdk-lib';
import { Alarm, ComparisonOperator, Metric, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import type { Topic } from 'aws-cdk-lib/aws-sns';
import type { Construct } from 'constructs';
import type { DeploySettings } from '#infra/aws/settings.ts';
import { type FunctionName, queues as specs, streams } from '#infra/topology.ts';
import { LOOKAHEAD_MS } from '#lib/schedule/watermark.ts';
import { makeTopic } from './alarm-topic.ts';
import { ownMetrics } from './own-metrics.ts';
import { pingRules, requestRules } from './request-rules.ts';
import type { Rule, Watched } from './rule.ts';

const MINUTE = Duration.minutes(1);
/** Checks can be a minute late, because ticks can be. More than two minutes are an internal error. */
const LATE_SECONDS = 120;
// Jobs and deadlines are delayed up to twice the lookahead; SQS does not document whether that counts as age.
const WAIT_SECONDS = (2 * LOOKAHEAD_MS) / 1000 + 60;
/** Two attempts of a parked record (lib/stream-reader.ts). */
const ALERT_WAIT_SECONDS = 90;
/** The longest delay of one message of a delivery after a 429 response is 14 min. */
const DELIVERY_WAIT_SECONDS = 900;
const STREAM_LAG_MS = 60_000;

/** Creates alarms for failures that the service cannot report to its users, with one topic. */
export function makeAlarms(scope: Construct, watched: Watched, settings: DeploySettings): Topic {
  const topic = makeTopic(scope, settings);
  const action = new SnsAction(topic);
  for (const { name, description, metric, above, minutes = 1, missing } of rules(scope, watched, settings)) {
    const alarm = new Alarm(scope, `Alarm-${name}`, {
      alarmDescription: description,
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

/** Usual Lambda concurrency of an account (a new one has less), and the share in use that raises an alarm. */
const USUAL_CONCURRENCY = 1000;
const CLAIMED_SHARE = 0.8;

const alerting: ReadonlySet<FunctionName> = new Set(
  (['notify', 'delivery', 'plan'] as const).map((queue) => specs[queue].consumer),
);

const max = { period: MINUTE, statistic: 'Maximum' };
const sum = { period: MINUTE, statistic: 'Sum' };

function rules(scope: Construct, watched: Watched, settings: DeploySettings): Rule[] {
  return [
    ...ofQueues(watched),
    ...ofOwnMetrics(scope),
    ...ofFunctions(watched),
    ...ofAccount(settings),
    ...requestRules(watched, settings),
    ...pingRules(scope),
  ];
}

function ofQueues({ queues, deadLetters }: Watched): Rule[] {
  const waits = { above: WAIT_SECONDS, minutes: 3 };
  return [
    ...deadLetters.map((queue) => ({
      name: `${queue.node.id}`,
      description: `Failed messages are in ${queue.node.id}. See docs/operate/aws-monitor.md#dead-letters.`,
      metric: queue.metricApproximateNumberOfMessagesVisible(max),
      above: 0,
    })),
    {
      name: 'lag-job',
      description: `Probes wait ${WAIT_SECONDS} s or more. If the prober has no errors, increase its concurrency: CONCURRENCY if it is set, else the quota of the account (npm run deploy:check).`,
      metric: queues.job.metricApproximateAgeOfOldestMessage(max),
      ...waits,
    },
    {
      name: 'lag-deadline',
      description: `Deadlines (missed heartbeats, reminders, late alerts) wait ${WAIT_SECONDS} s or more. Check errors and throttles of the prober.`,
      metric: queues.deadline.metricApproximateAgeOfOldestMessage(max),
      ...waits,
    },
    {
      name: 'lag-notify',
      description: `Transitions whose alert failed wait ${ALERT_WAIT_SECONDS} s or more. Search the log of the notifier for "record failed".`,
      metric: queues.notify.metricApproximateAgeOfOldestMessage(max),
      above: ALERT_WAIT_SECONDS,
    },
    {
      name: 'lag-delivery',
      description: `Alerts wait ${DELIVERY_WAIT_SECONDS} s or more, longer than after a 429 response. Search the log of the deliverer for "record failed".`,
      metric: queues.delivery.metricApproximateAgeOfOldestMessage(max),
      above: DELIVERY_WAIT_SECONDS,
    },
  ];
}

function ofOwnMetrics(scope: Construct): Rule[] {
  const { lag, failedRecords, failedDeliveries, lateProbes, limiterFailed } = ownMetrics(scope);
  return [
    ...lag.map(({ schedule, consumer, metric }) => ({
      name: `lag-${schedule}`,
      description: `Checks are emitted more than ${LATE_SECONDS} s late, or not at all. Check errors, throttles and the log of ${consumer}.`,
      metric,
      above: LATE_SECONDS,
      minutes: 3,
      // A missing tick is the worst lag, and so is one that failed.
      missing: TreatMissingData.BREACHING,
    })),
    // Lambda does not count a failed record as an error: the function reports it, and it can become a dead letter.
    ...failedRecords.map(({ reader, metric }) => ({
      name: `failed-${reader}`,
      description: `${reader} repeatedly fails on records. Search its log for "record failed".`,
      metric,
      above: 0,
      // After one minute if alerts are delayed; a single failed record of another reader is retried without an alarm.
      minutes: alerting.has(reader) ? 1 : 5,
    })),
    {
      name: 'deliveries',
      description: 'Alerts did not reach their channel after all attempts. See GET /v1/notify/logs of the tenant.',
      metric: failedDeliveries,
      above: 0,
    },
    {
      name: 'late-probes',
      description:
        'Probes are later than their interval and are skipped: checks have no data. Check concurrency and throttles of prober.',
      metric: lateProbes,
      above: 0,
      minutes: 3,
    },
    ...limiterFailed.map(({ name, metric }) => ({
      name: `limiter-${name}`,
      description:
        'Account rates cannot be read, so requests are accepted without a limit. Check throttles and errors of the table.',
      metric,
      above: 0,
      minutes: 3,
    })),
  ];
}

function ofFunctions({ functions }: Watched): Rule[] {
  return [
    ...streams.map(({ name, function: reader }) => ({
      name: `stream-${name}`,
      description: `Transitions reach ${reader} more than a minute late, so alerts are late. Check its log.`,
      metric: functions[reader].metric('IteratorAge', max),
      above: STREAM_LAG_MS,
      minutes: 3,
    })),
    ...Object.entries(functions).map(([name, one]) => ({
      name: `errors-${name}`,
      description: `${name} fails (exception or timeout). Search its log for "function failed" or "stream failed".`,
      metric: one.metricErrors(sum),
      ...(alerting.has(name as FunctionName) ? { above: 0 } : { above: 3, minutes: 3 }),
    })),
  ];
}

function ofAccount({ CONCURRENCY = USUAL_CONCURRENCY }: DeploySettings): Rule[] {
  const of = (metricName: string, statistic: 'Maximum' | 'Sum') =>
    new Metric({ namespace: 'AWS/Lambda', metricName, statistic, period: MINUTE });
  return [
    {
      name: 'concurrency',
      description: `Functions use more than ${CLAIMED_SHARE * 100} % of the concurrency (CONCURRENCY, or ${USUAL_CONCURRENCY}). Request more before they are throttled: npm run deploy:check.`,
      metric: of('ClaimedAccountConcurrency', 'Maximum'),
      above: Math.floor(CLAIMED_SHARE * CONCURRENCY),
      minutes: 3,
    },
    // One for the account: when it has no concurrency left, any function is throttled.
    {
      name: 'throttles',
      description:
        'Lambda throttles functions of this account: it has no concurrency left, or one function has used its reserved concurrency. The dashboard of limits shows which. Request more: npm run deploy:check.',
      metric: of('Throttles', 'Sum'),
      above: 0,
    },
    {
      name: 'recursion',
      description:
        'Lambda stopped a recursive loop. Intended loops of this stack are allowed: find a rule or queue outside the stack that leads back to its function, or a changed recursion setting.',
      metric: of('RecursiveInvocationsDropped', 'Sum'),
      above: 0,
    },
  ];
}
