import type { AccountLimits } from '#lib/aws/account-limits.ts';
import { scaleOf } from './scale.ts';
import type { DeploySettings } from './settings.ts';

/** What was looked at: `stop` must be settled before anything is made, `ask` sooner or later. */
export type Finding = { is: 'ok' | 'ask' | 'stop' | 'unknown'; says: string };

/** Lambda keeps so much of an account for functions without a reservation. */
const NEVER_RESERVED = 100;
/** With less, the functions get in each other's way as soon as anything is slow. */
const COMFORTABLE = 100;

const ASK = 'Service Quotas, AWS Lambda, "Concurrent executions": ask for 1,000, which is free and takes hours to days';

/**
 * What an account's limits mean for a deployment with these settings. Pure.
 * @param fleet what the operator wants to check, if he said so
 */
export function preflight(
  { concurrency, table_units }: AccountLimits,
  settings: DeploySettings,
  fleet?: Pick<ReturnType<typeof scaleOf>, 'per_minute' | 'probers' | 'table_writes' | 'table_reads'>,
): Finding[] {
  return [
    ...(typeof concurrency === 'string'
      ? [unread("Lambda's concurrency", concurrency, 'lambda:GetAccountSettings')]
      : ofConcurrency(concurrency, settings, fleet?.probers ?? 0)),
    typeof table_units === 'string'
      ? unread("DynamoDB's limits", table_units, 'dynamodb:DescribeLimits')
      : ofTable(table_units, fleet),
    {
      is: 'unknown',
      says: 'CloudFront: whether it takes resources of this account shows only when one is made. A new account that gets "Your account must be verified" has to ask AWS Support first; the failed stack is rolled back as a whole.',
    },
    {
      is: 'ok',
      says: 'SQS, EventBridge and API Gateway: their first quotas are far above what any fleet here asks for.',
    },
  ];
}

const unread = (what: string, reason: string, right: string): Finding => ({
  is: 'unknown',
  says: `${what} could not be read (${reason}). It needs credentials that may ${right}, and AWS_REGION.`,
});

function ofConcurrency(
  { total, unreserved }: { total: number; unreserved: number },
  { CONCURRENCY, RESERVED_CONCURRENCY, MCP_STREAMS_PER_KEY }: DeploySettings,
  probers: number,
): Finding[] {
  const found: Finding[] = [];
  const reserved = Object.values(RESERVED_CONCURRENCY).reduce((sum, one) => sum + one, 0);
  const mayReserve = Math.max(0, unreserved - NEVER_RESERVED);
  if (reserved > mayReserve) {
    found.push({
      is: 'stop',
      says: `RESERVED_CONCURRENCY asks for ${reserved}, and ${mayReserve} of ${total} can be reserved: the deployment would fail. Leave it out, or ${ASK}.`,
    });
  }
  if (CONCURRENCY !== undefined && CONCURRENCY > total) {
    found.push({ is: 'stop', says: `CONCURRENCY is ${CONCURRENCY}, and the account has ${total}. Set it to that.` });
  }
  if (probers > 0.8 * total) {
    found.push({
      is: 'ask',
      says: `So many checks keep ${Math.ceil(probers)} probers busy, and the account has ${total} concurrent executions. ${ASK}, or more.`,
    });
  }
  if (total < COMFORTABLE) {
    found.push({
      is: 'ask',
      says: `The account has ${total} concurrent executions. ${ASK}. Until then deploy with -c CONCURRENCY=${total}, so that slow targets and receivers cannot take all of it ($0.47 a month more), and mind that each open stream of MCP takes one (MCP_STREAMS_PER_KEY is ${MCP_STREAMS_PER_KEY}).`,
    });
  }
  if (found.length === 0)
    found.push({ is: 'ok', says: `Lambda: ${total} concurrent executions, ${unreserved} unreserved.` });
  return found;
}

function ofTable(
  { writes, reads }: { writes: number; reads: number },
  fleet: { per_minute: number; table_writes: number; table_reads: number } | undefined,
): Finding {
  const oneASecond = scaleOf(60, 4);
  const aSecond = Math.min(writes / oneASecond.table_writes, reads / oneASecond.table_reads);
  const most = Math.floor((aSecond * 60) / 1000) * 1000;
  const bears = `DynamoDB: a table may take ${writes} write and ${reads} read units a second, some ${most.toLocaleString('en-US')} checks a minute`;
  if (!fleet || (fleet.table_writes <= writes && fleet.table_reads <= reads)) return { is: 'ok', says: `${bears}.` };
  return {
    is: 'ask',
    says: `${bears}, and ${fleet.per_minute.toLocaleString('en-US')} are wanted. Service Quotas, Amazon DynamoDB, "Table-level write (and read) throughput limit": ask for more.`,
  };
}
