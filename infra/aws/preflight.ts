import type { AccountLimits } from '#lib/aws/account-limits.ts';
import { scaleOf } from './scale.ts';
import { burstOf, type DeploySettings } from './settings.ts';
import { NO_ALARM_EMAIL } from './watch/alarm-topic.ts';

/** Result of a check: `stop` prevents the deployment, `ask` needs a quota increase sooner or later. */
export type Finding = { is: 'ok' | 'ask' | 'stop' | 'unknown'; message: string };

/** Concurrency that Lambda keeps for functions without a reservation. */
const NEVER_RESERVED = 100;
/** With less, two open streams or slow requests stop checks and alerts. */
const NEEDED = 50;
/** With less, one slow function can use up the concurrency of the others. */
const COMFORTABLE = 100;

const ASK = 'Service Quotas, AWS Lambda, "Concurrent executions": request 1,000, which is free and takes hours to days';

/**
 * Compares the limits of an account with a deployment. Pure.
 * @param fleet planned load
 * @param isDemo whether the operator accepts that checks and alerts can stop
 */
export function preflight(
  { concurrency, table_units, requests }: AccountLimits,
  settings: DeploySettings,
  fleet?: Pick<ReturnType<typeof scaleOf>, 'per_minute' | 'probers' | 'table_writes' | 'table_reads'>,
  isDemo = false,
): Finding[] {
  return [
    ...(typeof concurrency === 'string'
      ? [unreadLimit("Lambda's concurrency", concurrency, 'lambda:GetAccountSettings')]
      : ofConcurrency(concurrency, settings, fleet?.probers ?? 0, isDemo)),
    typeof table_units === 'string'
      ? unreadLimit("DynamoDB's limits", table_units, 'dynamodb:DescribeLimits')
      : ofTable(table_units, fleet),
    {
      is: 'unknown',
      message:
        'CloudFront: whether this account may create a distribution shows only in a deployment. A new account that gets "Your account must be verified" must ask AWS Support first; the failed stack is rolled back.',
    },
    ...(typeof requests === 'string'
      ? [unreadLimit("API Gateway's throttle", requests, 'apigateway:GET on /account, the AWS CLI')]
      : ofRequests(requests, settings)),
    ...ofAlarms(settings),
    { is: 'ok', message: 'SQS and EventBridge: the default quotas are far above the load of this service.' },
  ];
}

/** Finds the table that a stack would lose: without TABLE_STREAM_ARN, a deployment creates an empty one. Pure. */
export function ofRestoredTable(template: Template, { TABLE_STREAM_ARN }: DeploySettings): Finding[] {
  if (TABLE_STREAM_ARN !== '') return [];
  const sources = Object.values(template.Resources ?? {}).map((one) => one.Properties?.EventSourceArn);
  const restored = sources.find((arn) => typeof arn === 'string' && /:dynamodb:.*\/stream\//.test(arn));
  if (restored === undefined) return [];
  return [
    {
      is: 'stop',
      message: `The stack uses a restored table. Set TABLE_STREAM_ARN to ${restored}: without it, the deployment would create an empty table.`,
    },
  ];
}

type Template = { Resources?: Record<string, { Properties?: { EventSourceArn?: unknown } }> };

const unreadLimit = (what: string, reason: string, permission: string): Finding => ({
  is: 'unknown',
  message: `${what} could not be read (${reason}). It needs credentials with ${permission}, and AWS_REGION.`,
});

/** A stage with more than the account has is refused, and the stack is rolled back. */
function ofRequests({ rate, burst }: { rate: number; burst: number }, settings: DeploySettings): Finding[] {
  const { THROTTLE_RATE, THROTTLE_BURST, THROTTLE_PUSH_RATE } = settings;
  const ask = 'or request more (Service Quotas, Amazon API Gateway, "Throttle rate")';
  const rows: [string, number, number][] = [
    ['THROTTLE_RATE', THROTTLE_RATE, rate],
    ['THROTTLE_BURST', THROTTLE_BURST, burst],
    ['THROTTLE_PUSH_RATE', THROTTLE_PUSH_RATE, rate],
  ];
  const above = rows.filter(([, wanted, limit]) => wanted > limit);
  if (above.length === 0 && burstOf(THROTTLE_PUSH_RATE) > burst)
    above.push(['THROTTLE_PUSH_RATE', THROTTLE_PUSH_RATE, Math.floor(burst / 2)]);
  if (above.length === 0) return [{ is: 'ok', message: `API Gateway: ${rate} requests per second, burst ${burst}.` }];
  return above.map(([name, wanted, limit]) => ({
    is: 'stop',
    message: `${name} is ${wanted}, above the ${rate} requests per second (burst ${burst}) that API Gateway gives this account: the deployment would fail. Set it to ${limit}, ${ask}.`,
  }));
}

const ofAlarms = ({ ALARM_EMAIL }: DeploySettings): Finding[] =>
  ALARM_EMAIL === '' ? [{ is: 'ask', message: NO_ALARM_EMAIL }] : [];

function ofConcurrency(
  { total, unreserved }: { total: number; unreserved: number },
  { CONCURRENCY, RESERVED_CONCURRENCY, MCP_STREAMS_PER_KEY }: DeploySettings,
  probers: number,
  isDemo: boolean,
): Finding[] {
  const found: Finding[] = [];
  const reserved = Object.values(RESERVED_CONCURRENCY).reduce((sum, one) => sum + one, 0);
  const reservable = Math.max(0, unreserved - NEVER_RESERVED);
  if (reserved > reservable) {
    found.push({
      is: 'stop',
      message: `RESERVED_CONCURRENCY reserves ${reserved}, but only ${reservable} of ${total} can be reserved: the deployment would fail. Remove it, or ${ASK}.`,
    });
  }
  if (CONCURRENCY !== undefined && CONCURRENCY > total) {
    found.push({
      is: 'stop',
      message: `CONCURRENCY is ${CONCURRENCY}, but the account has ${total}. Set it to ${total}.`,
    });
  }
  if (probers > 0.8 * total) {
    found.push({
      is: 'ask',
      message: `These checks need ${Math.ceil(probers)} concurrent probers, and the account has ${total} concurrent executions. ${ASK}, or more.`,
    });
  }
  if (total < NEEDED && !isDemo) {
    found.push({
      is: 'stop',
      message: `The account has ${total} concurrent executions: two MCP streams or slow requests would stop checks and alerts. ${ASK}. For a demonstration, set CONCURRENCY to ${total} and add --demo.`,
    });
  } else if (total < COMFORTABLE) {
    found.push({
      is: 'ask',
      message: `The account has ${total} concurrent executions. ${ASK}. Until then set CONCURRENCY to ${total}, so that slow targets and receivers cannot use all of it ($0.62 a month more). Each open MCP stream uses one (MCP_STREAMS_PER_KEY is ${MCP_STREAMS_PER_KEY}).`,
    });
  }
  if (found.length === 0)
    found.push({ is: 'ok', message: `Lambda: ${total} concurrent executions, ${unreserved} unreserved.` });
  return found;
}

function ofTable(
  { writes, reads }: { writes: number; reads: number },
  fleet: { per_minute: number; table_writes: number; table_reads: number } | undefined,
): Finding {
  const oneASecond = scaleOf(60, 4);
  const aSecond = Math.min(writes / oneASecond.table_writes, reads / oneASecond.table_reads);
  const perMinute = Math.floor((aSecond * 60) / 1000) * 1000;
  const capacity = `DynamoDB: a table allows ${writes} write and ${reads} read units per second, some ${perMinute.toLocaleString('en-US')} checks per minute`;
  if (!fleet || (fleet.table_writes <= writes && fleet.table_reads <= reads))
    return { is: 'ok', message: `${capacity}.` };
  return {
    is: 'ask',
    message: `${capacity}; ${fleet.per_minute.toLocaleString('en-US')} are planned. Service Quotas, Amazon DynamoDB, "Table-level write (and read) throughput limit": request an increase.`,
  };
}
