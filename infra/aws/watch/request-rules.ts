import { Duration } from 'aws-cdk-lib';
import { Metric } from 'aws-cdk-lib/aws-cloudwatch';
import type { Construct } from 'constructs';
import { streaming } from '#infra/topology.ts';
import { ownMetrics } from './own-metrics.ts';
import type { Rule, Watched } from './rule.ts';

const sum = { period: Duration.minutes(1), statistic: 'Sum' };

/** So many pings a minute that come to nothing are no longer one forgotten crontab. */
const MANY_PINGS = 100;

/** Alarms on pings that nobody else would hear of. */
export function ofPings(scope: Construct): Rule[] {
  const { refusedPings, unknownPings } = ownMetrics(scope);
  return [
    {
      name: 'refused-pings',
      says: `More than ${MANY_PINGS} pings a minute are refused for their rate (429): jobs will look silent. docs/operate/limits.md#rates says which rate to raise (ping, ping-url, push).`,
      metric: refusedPings,
      above: MANY_PINGS,
      minutes: 3,
    },
    {
      name: 'unknown-pings',
      says: `More than ${MANY_PINGS} ping URLs a minute lead nowhere: somebody guesses, or jobs ping checks that were deleted. The access log and the caller's address say who.`,
      metric: unknownPings,
      above: MANY_PINGS,
      minutes: 5,
    },
  ];
}

/** Alarms on what callers are answered. */
export function ofRequests({ table, functions, api, throttledPushes }: Watched): Rule[] {
  const answers = { above: 5, minutes: 3 };
  return [
    ...['ReadThrottleEvents', 'WriteThrottleEvents'].map((metricName) => ({
      name: `table-${metricName}`,
      says: 'DynamoDB throttles: one partition is too hot. docs/operate/scale.md#limits says which setting spreads it.',
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
      says: 'The API answers 5xx. Search the logs of the functions api and tester for "request failed".',
      metric: api.metricServerError(sum),
      ...answers,
    },
    {
      name: 'throttled-pushes',
      says: 'The API refuses heartbeats, results and pings (429) before any function sees them: checks will look silent. Raise THROTTLE_PUSH_RATE.',
      metric: throttledPushes,
      above: 0,
    },
    // Behind an address of its own, which the API's metric does not see.
    ...[...streaming, 'ingest' as const].map((name) => ({
      name: `5xx-${name}`,
      says: `The address of ${name} answers 5xx. Search its log for "request failed" or "stream failed".`,
      metric: functions[name].metric('Url5xxCount', sum),
      ...answers,
    })),
  ];
}
