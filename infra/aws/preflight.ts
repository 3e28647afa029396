import type { Certificate } from '#infra/aws-cli.ts';
import type { AccountLimits } from '#lib/aws/account-limits.ts';
import { type FixedCosts, idleDollars, watchDollars } from './fixed-costs.ts';
import { ASSUMED, MINUTES_A_MONTH, scaleOf } from './scale.ts';
import { burstOf, type DeploySettings } from './settings.ts';
import { NO_ALARM_EMAIL } from './watch/alarm-topic.ts';

/** Result of a check: `stop` prevents the deployment, `ask` needs a quota increase or a setting, and can wait. */
export type Finding = { is: 'ok' | 'ask' | 'stop' | 'unknown'; message: string };

/** Concurrency that Lambda keeps for functions without a reservation. */
const NEVER_RESERVED = 100;
/** Minimum concurrency: with less, two open streams or slow requests stop checks and alerts. */
const NEEDED = 50;
/** Recommended concurrency: with less, one slow function can use up the concurrency of the others. */
const COMFORTABLE = 100;

const ASK = 'Service Quotas, AWS Lambda, "Concurrent executions": request 1,000, which is free and takes hours to days';

/** Compares the limits of an account with a deployment. Pure. @param isDemo accepts that checks and alerts can stop */
export function preflight(
  { concurrency, table_units, requests }: AccountLimits,
  settings: DeploySettings,
  fixed: FixedCosts,
  fleet?: Pick<ReturnType<typeof scaleOf>, 'per_minute' | 'probers' | 'table_writes' | 'table_reads'>,
  isDemo = false,
): Finding[] {
  return [
    ...(typeof concurrency === 'string'
      ? [unreadLimit("Lambda's concurrency", concurrency, 'lambda:GetAccountSettings')]
      : ofConcurrency(concurrency, settings, fleet?.probers ?? 0, isDemo)),
    ...(typeof table_units === 'string'
      ? [unreadLimit("DynamoDB's limits", table_units, 'dynamodb:DescribeLimits')]
      : ofTable(table_units, settings, fleet)),
    ofTableLimits(settings, fleet),
    {
      is: 'unknown',
      message:
        'CloudFront: whether this account may create a distribution shows only in a deployment. A new account that gets "Your account must be verified" must ask AWS Support first; the failed stack is rolled back.',
    },
    ...(typeof requests === 'string'
      ? [unreadLimit("API Gateway's throttle", requests, 'apigateway:GET on /account, the AWS CLI')]
      : ofRequests(requests, settings)),
    ...ofAlarms(settings),
    ofPrice(fixed, settings),
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

/** Checks a certificate: CloudFront rejects an invalid one after most of the stack was created. Pure. */
export function ofCertificate(setting: string, domains: readonly string[], certificate: Certificate | string): Finding {
  if (typeof certificate === 'string') {
    const message = `${setting} could not be read (${certificate}). It needs credentials with acm:DescribeCertificate.`;
    return { is: 'unknown', message };
  }
  const { status, names } = certificate;
  if (status !== 'ISSUED') {
    const message = `${setting}: the certificate is ${status}, not ISSUED: the deployment would fail. Add its validation records to DNS, and wait.`;
    return { is: 'stop', message };
  }
  const missing = domains.filter((domain) => !names.some((name) => covers(name, domain)));
  if (missing.length === 0) return { is: 'ok', message: `${setting}: issued for ${domains.join(', ')}.` };
  const message = `${setting}: the certificate is for ${names.join(', ')}, not for ${missing.join(', ')}: the deployment would fail. Request one with all names.`;
  return { is: 'stop', message };
}

/** Whether a name of a certificate covers a domain; `*` stands for one label (RFC 6125, section 6.4.3). */
const covers = (name: string, domain: string): boolean =>
  name === domain || (name.startsWith('*.') && domain.split('.').slice(1).join('.') === name.slice(2));

type Template = { Resources?: Record<string, { Properties?: { EventSourceArn?: unknown } }> };

const unreadLimit = (what: string, reason: string, permission: string): Finding => ({
  is: 'unknown',
  message: `${what} could not be read (${reason}). It needs credentials with ${permission}, and AWS_REGION.`,
});

/** Compares throttles with the limits of the account: AWS rejects a stage above them, and rolls back the stack. */
function ofRequests({ rate, burst }: { rate: number; burst: number }, settings: DeploySettings): Finding[] {
  const { THROTTLE_RATE, THROTTLE_BURST, THROTTLE_PUSH_RATE, THROTTLE_PUBLIC_RATE } = settings;
  const ask = 'or request more (Service Quotas, Amazon API Gateway, "Throttle rate")';
  const [perSecond, atOnce] = [`${rate} requests per second`, `burst of ${burst} requests`];
  const above: { name: string; wanted: number; most: number; limit: string; burst?: number }[] = [
    { name: 'THROTTLE_RATE', wanted: THROTTLE_RATE, most: rate, limit: perSecond },
    { name: 'THROTTLE_BURST', wanted: THROTTLE_BURST, most: burst, limit: atOnce },
    { name: 'THROTTLE_PUSH_RATE', wanted: THROTTLE_PUSH_RATE, most: rate, limit: perSecond },
    { name: 'THROTTLE_PUBLIC_RATE', wanted: THROTTLE_PUBLIC_RATE, most: rate, limit: perSecond },
  ].filter(({ wanted, most }) => wanted > most);
  const pushes = { name: 'THROTTLE_PUSH_RATE', wanted: THROTTLE_PUSH_RATE, burst: burstOf(THROTTLE_PUSH_RATE) };
  if (above.length === 0 && pushes.burst > burst) above.push({ ...pushes, most: Math.floor(burst / 2), limit: atOnce });
  if (above.length === 0) return [{ is: 'ok', message: `API Gateway: ${rate} requests per second, burst ${burst}.` }];
  return above.map(({ name, wanted, burst: own, limit, most }) => ({
    is: 'stop',
    message: `${name} is ${wanted}${own === undefined ? '' : `, with a burst of ${own}`}, above the ${limit} that API Gateway gives this account: the deployment would fail. Set it to ${most}, ${ask}.`,
  }));
}

function ofPrice(fixed: FixedCosts, { BUDGET_DOLLARS }: DeploySettings): Finding {
  const { alarms, pollers } = fixed;
  const total = idleDollars(fixed) + watchDollars(fixed);
  const bounds =
    pollers.bounded_dollars > 0 ? `, of which CONCURRENCY adds $${pollers.bounded_dollars.toFixed(2)}` : '';
  const budget =
    BUDGET_DOLLARS > 0 ? '' : ' Set BUDGET_DOLLARS to get a mail before the account costs more than you plan.';
  return {
    is: 'ok',
    message: `Price: without checks $${total.toFixed(2)} a month at list prices (us-east-1): ${pollers.count} pollers and the schedule $${idleDollars(fixed).toFixed(2)}${bounds}, ${alarms.count} alarms $${alarms.dollars.toFixed(2)}, metric and secret $${(fixed.metric.dollars + fixed.secrets.dollars).toFixed(2)}.${budget}`,
  };
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
      message: `The account has ${total} concurrent executions. ${ASK}. Until then set CONCURRENCY to ${total}, so that slow targets and receivers cannot use all of it. Each open MCP stream uses one (MCP_STREAMS_PER_KEY is ${MCP_STREAMS_PER_KEY}).`,
    });
  }
  if (found.length === 0)
    found.push({ is: 'ok', message: `Lambda: ${total} concurrent executions, ${unreserved} unreserved.` });
  return found;
}

type TableUnits = { writes: number; reads: number };
type Fleet = { per_minute: number; table_writes: number; table_reads: number };

const whole = (value: number): string => Math.floor(value).toLocaleString('en-US');

/** Returns the checks per minute that units per second sustain, rounded down to thousands. */
function checksOf({ writes, reads }: TableUnits): string {
  const oneASecond = scaleOf(60, 4);
  const aSecond = Math.min(writes / oneASecond.table_writes, reads / oneASecond.table_reads);
  return whole(Math.floor((aSecond * 60) / 1000) * 1000);
}

/** Compares the quotas of a table with the fleet, and with the settings, which DynamoDB rejects above the quotas. */
function ofTable(quota: TableUnits, settings: DeploySettings, fleet: Fleet | undefined): Finding[] {
  const { writes, reads } = quota;
  const capacity = `DynamoDB: a table allows ${writes} write and ${reads} read units per second, some ${checksOf(quota)} checks per minute`;
  const rows: [string, number, number][] = [
    ['TABLE_MAX_WRITES', settings.TABLE_MAX_WRITES, writes],
    ['TABLE_MAX_READS', settings.TABLE_MAX_READS, reads],
  ];
  const above = rows.flatMap(([name, wanted, limit]): Finding[] =>
    wanted > limit
      ? [
          {
            is: 'stop',
            message: `${name} is ${wanted}, above the quota of ${limit}: the deployment would fail. Set it to ${limit}, or ${MORE_UNITS}.`,
          },
        ]
      : [],
  );
  const fits = !fleet || (fleet.table_writes <= writes && fleet.table_reads <= reads);
  const finding: Finding = fits
    ? { is: 'ok', message: `${capacity}.` }
    : { is: 'ask', message: `${capacity}; ${whole(fleet.per_minute)} are planned: ${MORE_UNITS}.` };
  return [...above, finding];
}

const MORE_UNITS = 'request more (Service Quotas, Amazon DynamoDB, "Table-level write (and read) throughput limit")';

const SECONDS_A_MONTH = MINUTES_A_MONTH * 60;

function ofTableLimits(settings: DeploySettings, fleet: Fleet | undefined): Finding {
  const { TABLE_MAX_WRITES: writes, TABLE_MAX_READS: reads } = settings;
  if (settings.TABLE_STREAM_ARN !== '') {
    return {
      is: 'ok',
      message:
        'TABLE_MAX_WRITES and TABLE_MAX_READS have no effect on the table of TABLE_STREAM_ARN. Change its maximums with aws dynamodb update-table --on-demand-throughput.',
    };
  }
  const most = (SECONDS_A_MONTH / 1e6) * (writes * ASSUMED.write_unit + reads * ASSUMED.read_unit);
  const meaning = `TABLE_MAX_WRITES ${writes} and TABLE_MAX_READS ${reads} units per second sustain some ${checksOf({ writes, reads })} checks per minute, and bound the table to $${whole(most)} a month. Requests beyond are throttled and retried, and the alarms table-… fire`;
  if (!fleet || (fleet.table_writes <= writes && fleet.table_reads <= reads))
    return { is: 'ok', message: `${meaning}.` };
  return {
    is: 'ask',
    message: `${meaning}. ${whole(fleet.per_minute)} checks per minute need more: set TABLE_MAX_WRITES to at least ${Math.ceil(fleet.table_writes)} and TABLE_MAX_READS to at least ${Math.ceil(fleet.table_reads)}, with a reserve for the API and alerts.`,
  };
}
