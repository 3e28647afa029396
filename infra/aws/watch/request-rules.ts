import { Duration } from 'aws-cdk-lib';
import { Metric } from 'aws-cdk-lib/aws-cloudwatch';
import type { Construct } from 'constructs';
import type { DeploySettings } from '#infra/aws/settings.ts';
import { streaming } from '#infra/topology.ts';
import { ownMetrics } from './own-metrics.ts';
import type { Rule, Watched } from './rule.ts';

const sum = { period: Duration.minutes(1), statistic: 'Sum' };

/** Rejected pings per minute that a single forgotten crontab cannot cause. */
const MANY_PINGS = 100;

/** Returns rules for rejected pings, which are not reported to the user. */
export function pingRules(scope: Construct): Rule[] {
  const { refusedPings, unknownPings } = ownMetrics(scope);
  return [
    {
      name: 'refused-pings',
      description: `More than ${MANY_PINGS} pings a minute are rejected for their rate (429), so jobs seem to miss heartbeats. Raise a rate (ping, ping-url, push): docs/operate/limits.md#rates.`,
      metric: refusedPings,
      above: MANY_PINGS,
      minutes: 3,
    },
    {
      name: 'unknown-pings',
      description: `More than ${MANY_PINGS} ping URLs a minute do not exist: a client guesses URLs, or jobs ping deleted checks. The access log contains the address of the client.`,
      metric: unknownPings,
      above: MANY_PINGS,
      minutes: 5,
    },
  ];
}

export function requestRules(
  { table, functions, api, throttledPushes }: Watched,
  { PING_URL }: DeploySettings,
): Rule[] {
  const open = [...streaming, ...(PING_URL === 'function' ? ['ingest' as const] : [])];
  const errors = { above: 5, minutes: 3 };
  return [
    ...['ReadThrottleEvents', 'WriteThrottleEvents'].map((metricName) => ({
      name: `table-${metricName}`,
      description:
        'DynamoDB throttles a hot partition. For the setting that spreads it, see docs/operate/scale.md#limits.',
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
      description:
        'The API returns 5xx. Search the logs of api, sign-in, ingest, tester, console, public and mcp for "request failed" or "function failed".',
      metric: api.metricServerError(sum),
      ...errors,
    },
    {
      name: 'throttled-pushes',
      description:
        'The API rejects heartbeats, results and pings (429) before they reach a function, so checks seem to miss heartbeats. Raise THROTTLE_PUSH_RATE.',
      metric: throttledPushes,
      above: 0,
    },
    // Function URLs bypass the API and its metric.
    ...open.map((name) => ({
      name: `5xx-${name}`,
      description: `The URL of ${name} returns 5xx. Search its log for "request failed" or "stream failed".`,
      metric: functions[name].metric('Url5xxCount', sum),
      ...errors,
    })),
  ];
}
