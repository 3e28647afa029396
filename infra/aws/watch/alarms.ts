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
import { ofPings, ofRequests } from './request-rules.ts';
import type { Rule, Watched } from './rule.ts';

const MINUTE = Duration.minutes(1);
/** A check may be a minute late (ticks are), two are a fault of ours. */
const LATE_SECONDS = 120;
// Jobs and deadlines lie in their queue ahead of time, delayed: those of a check that was just written for twice the
// lookahead. Whether SQS counts that to the age of a message is not written anywhere.
const WAIT_SECONDS = (2 * LOOKAHEAD_MS) / 1000 + 60;
/** Two tries of what is parked; and 14 min, which a delivery lies delayed while its receiver wants to be left alone. */
const ALERT_WAIT_SECONDS = 90;
const MAX_TURN_SECONDS = 900;
/** A transition waits this long for its reader at most before somebody looks. */
const STREAM_LAG_MS = 60_000;

/** Alarms on what the service cannot tell its users about; all of them reach one topic. */
export function makeAlarms(scope: Construct, watched: Watched, settings: DeploySettings): Topic {
  const topic = makeTopic(scope, settings);
  const action = new SnsAction(topic);
  for (const { name, says, metric, above, minutes = 1, missing } of rules(scope, watched, settings)) {
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

/** Of Lambda, when an account has had its first increase; and what of it may be taken before somebody looks. */
const USUAL_CONCURRENCY = 1000;
const CLAIMED_SHARE = 0.8;

/** Functions that stand between a change of state and what it sets off. */
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
    ...ofRequests(watched),
    ...ofPings(scope),
  ];
}

function ofQueues({ queues, deadLetters }: Watched): Rule[] {
  const waits = { above: WAIT_SECONDS, minutes: 3 };
  return [
    ...deadLetters.map((queue) => ({
      name: `${queue.node.id}`,
      says: `Work failed for good and lies in ${queue.node.id}. docs/operate/aws-monitor.md#dead-letters says what to do with it.`,
      metric: queue.metricApproximateNumberOfMessagesVisible(max),
      above: 0,
    })),
    {
      name: 'lag-job',
      says: `Probes lie ${WAIT_SECONDS} s and more. If they do not fail, raise the concurrency of the queue job (infra/topology.ts).`,
      metric: queues.job.metricApproximateAgeOfOldestMessage(max),
      ...waits,
    },
    {
      name: 'lag-deadline',
      says: `Deadlines (silence, repeats, catch-up) lie ${WAIT_SECONDS} s and more. If they do not fail, raise the concurrency of the queue deadline (infra/topology.ts).`,
      metric: queues.deadline.metricApproximateAgeOfOldestMessage(max),
      ...waits,
    },
    {
      name: 'lag-notify',
      says: `Transitions whose alerts could not be made wait for ${ALERT_WAIT_SECONDS} s and more. Search the log of the notifier for "record failed".`,
      metric: queues.notify.metricApproximateAgeOfOldestMessage(max),
      above: ALERT_WAIT_SECONDS,
    },
    {
      name: 'lag-delivery',
      says: `Alerts wait ${MAX_TURN_SECONDS} s and more, longer than for a receiver that asks for patience (429). Search the log of the deliverer for "record failed".`,
      metric: queues.delivery.metricApproximateAgeOfOldestMessage(max),
      above: MAX_TURN_SECONDS,
    },
  ];
}

function ofOwnMetrics(scope: Construct): Rule[] {
  const { lag, failedRecords, failedDeliveries, lateProbes, limiterFailed } = ownMetrics(scope);
  return [
    ...lag.map(({ schedule, consumer, metric }) => ({
      name: `lag-${schedule}`,
      says: `Checks are emitted more than ${LATE_SECONDS} s late, or not at all. Look at ${consumer}: errors, throttles, its log.`,
      metric,
      above: LATE_SECONDS,
      minutes: 3,
      // No tick at all is the worst lag, and so is one that failed.
      missing: TreatMissingData.BREACHING,
    })),
    // No error of the function: it names the records that failed and goes on. One that is poison ends as a dead letter.
    ...failedRecords.map(({ reader, metric }) => ({
      name: `failed-${reader}`,
      says: `${reader} fails on some of its work, minute after minute. Search its log for "record failed".`,
      metric,
      above: 0,
      // An alert that waits calls somebody at once; of probes some may fail.
      minutes: alerting.has(reader) ? 1 : 5,
    })),
    {
      name: 'deliveries',
      says: 'Alerts did not reach their channel, whatever was tried. GET /v1/notify/logs of the tenant says why.',
      metric: failedDeliveries,
      above: 0,
    },
    {
      name: 'late-probes',
      says: 'Probes come later than their interval and are left out: checks are blind. Look at prober: concurrency, throttles.',
      metric: lateProbes,
      above: 0,
      minutes: 3,
    },
    ...limiterFailed.map(({ name, metric }) => ({
      name: `limiter-${name}`,
      says: 'Rates of accounts cannot be judged, so requests are let in uncounted. Look at the table: throttles, errors.',
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
      says: `Transitions reach ${reader} more than a minute late: alerts wait. Look at its log.`,
      metric: functions[reader].metric('IteratorAge', max),
      above: STREAM_LAG_MS,
      minutes: 3,
    })),
    ...Object.entries(functions).flatMap(([name, one]) => [
      {
        name: `throttles-${name}`,
        says: `${name} is throttled: the account has no concurrency left. Ask for more, or reserve some for it.`,
        metric: one.metricThrottles(sum),
        above: 0,
      },
      {
        name: `errors-${name}`,
        says: `${name} fails as a whole (an exception or a time-out). Search its log for "function failed" or "stream failed".`,
        metric: one.metricErrors(sum),
        ...(alerting.has(name as FunctionName) ? { above: 0 } : { above: 3, minutes: 3 }),
      },
    ]),
  ];
}

/** What whole accounts have, over all of their functions. */
function ofAccount({ CONCURRENCY = USUAL_CONCURRENCY }: DeploySettings): Rule[] {
  const of = (metricName: string, statistic: 'Maximum' | 'Sum') =>
    new Metric({ namespace: 'AWS/Lambda', metricName, statistic, period: MINUTE });
  return [
    {
      name: 'concurrency',
      says: `Functions take more than ${CLAIMED_SHARE * 100} % of the concurrency (CONCURRENCY, or ${USUAL_CONCURRENCY}). Ask AWS for more before they are throttled: npm run deploy:check.`,
      metric: of('ClaimedAccountConcurrency', 'Maximum'),
      above: Math.floor(CLAIMED_SHARE * CONCURRENCY),
      minutes: 3,
    },
    {
      name: 'recursion',
      says: 'Lambda stopped a chain of invocations for a loop. Functions of this stack that go round on purpose are allowed to: look for one of yours that a rule or a queue leads back to, or whose recursion setting was changed.',
      metric: of('RecursiveInvocationsDropped', 'Sum'),
      above: 0,
    },
  ];
}
