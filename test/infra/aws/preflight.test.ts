import { DescribeLimitsCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { GetAccountSettingsCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { mockClient } from 'aws-sdk-client-mock';
import { beforeEach, describe, expect, it } from 'vitest';
import { preflight } from '#infra/aws/preflight.ts';
import { scaleOf } from '#infra/aws/scale.ts';
import { DeploySettings } from '#infra/aws/settings.ts';
import { readLimits } from '#lib/aws/account-limits.ts';

const lambda = mockClient(LambdaClient);
const dynamo = mockClient(DynamoDBClient);
const clients = { lambda: new LambdaClient({}), dynamo: new DynamoDBClient({}), close: () => {} };

const account = (total: number, unreserved = total) =>
  lambda.on(GetAccountSettingsCommand).resolves({
    AccountLimit: { ConcurrentExecutions: total, UnreservedConcurrentExecutions: unreserved },
  });

beforeEach(() => {
  lambda.reset();
  dynamo.reset();
  dynamo.on(DescribeLimitsCommand).resolves({ TableMaxWriteCapacityUnits: 40_000, TableMaxReadCapacityUnits: 40_000 });
});

async function found(settings: Record<string, string> = {}, checks?: number) {
  const fleet = checks === undefined ? undefined : scaleOf(checks, 4);
  return preflight(await readLimits(clients), DeploySettings.parse(settings), fleet);
}
const only = (findings: Awaited<ReturnType<typeof found>>, is: string) =>
  findings.filter((one) => one.is === is).map((one) => one.says);

describe('before a first deployment', () => {
  it('an account with the usual limits has nothing to ask for', async () => {
    account(1000);
    const findings = await found({}, 10_000);
    expect([...only(findings, 'ask'), ...only(findings, 'stop')]).toEqual([]);
    expect(only(findings, 'ok').join()).toContain('1000 concurrent executions');
  });

  it('a new account is told to ask for more concurrency, and how to begin without', async () => {
    account(10);
    const findings = await found();
    expect(only(findings, 'stop')).toEqual([]);
    expect(only(findings, 'ask')).toEqual([expect.stringMatching(/ask for 1,000.*-c CONCURRENCY=10\b/s)]);
  });

  it('a reservation that AWS would refuse stops it, as the whole stack would be rolled back', async () => {
    account(150, 130);
    expect(only(await found({ RESERVED_CONCURRENCY: 'ingest=31' }), 'stop')).toEqual([
      expect.stringContaining('asks for 31, and 30 of 150'),
    ]);
    expect(only(await found({ RESERVED_CONCURRENCY: 'ingest=30' }), 'stop')).toEqual([]);
  });

  it('more CONCURRENCY than there is stops it', async () => {
    account(10);
    expect(only(await found({ CONCURRENCY: '11' }), 'stop').join()).toContain('Set it to that');
    expect(only(await found({ CONCURRENCY: '10' }), 'stop')).toEqual([]);
  });

  it('a large fleet is told which quotas it would meet', async () => {
    account(1000);
    const asks = only(await found({}, 20_000_000), 'ask').join(' ');
    expect(asks).toMatch(/probers busy/);
    expect(asks).toMatch(/DynamoDB.*20,000,000 are wanted/s);
  });

  it('a limit that may not be read is named with the right that it takes, and the others are read', async () => {
    lambda.on(GetAccountSettingsCommand).rejects(Object.assign(new Error('no'), { name: 'AccessDeniedException' }));
    const findings = await found();
    expect(only(findings, 'unknown')[0]).toMatch(/AccessDeniedException: no.*lambda:GetAccountSettings/s);
    expect(only(findings, 'ok').join()).toContain('DynamoDB');
  });

  it('without credentials nothing is known, and nothing is called fine', async () => {
    const none = Object.assign(new Error('Could not load credentials'), { name: 'CredentialsProviderError' });
    lambda.on(GetAccountSettingsCommand).rejects(none);
    dynamo.on(DescribeLimitsCommand).rejects(none);
    const findings = await found();
    expect(only(findings, 'unknown').filter((says) => says.includes('Could not load credentials'))).toHaveLength(2);
  });

  it('says of CloudFront that it cannot be known, and what a new account then reads', async () => {
    account(1000);
    expect(only(await found(), 'unknown').join()).toContain('must be verified');
  });
});
