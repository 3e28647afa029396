import { DescribeLimitsCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { GetAccountSettingsCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { mockClient } from 'aws-sdk-client-mock';
import { beforeEach, describe, expect, it } from 'vitest';
import { fixedCostsOf } from '#infra/aws/fixed-costs.ts';
import { ofCertificate, preflight } from '#infra/aws/preflight.ts';
import { scaleOf } from '#infra/aws/scale.ts';
import { DeploySettings } from '#infra/aws/settings.ts';
import { readLimits } from '#lib/aws/account-limits.ts';

const lambda = mockClient(LambdaClient);
const dynamo = mockClient(DynamoDBClient);
let throttle = { rateLimit: 10_000, burstLimit: 5000 };
const clients = {
  lambda: new LambdaClient({}),
  dynamo: new DynamoDBClient({}),
  gatewayAccount: async () => JSON.stringify({ throttleSettings: throttle }),
  close: () => {},
};

const account = (total: number, unreserved = total) =>
  lambda.on(GetAccountSettingsCommand).resolves({
    AccountLimit: { ConcurrentExecutions: total, UnreservedConcurrentExecutions: unreserved },
  });

beforeEach(() => {
  throttle = { rateLimit: 10_000, burstLimit: 5000 };
  lambda.reset();
  dynamo.reset();
  dynamo.on(DescribeLimitsCommand).resolves({ TableMaxWriteCapacityUnits: 40_000, TableMaxReadCapacityUnits: 40_000 });
});

async function found(settings: Record<string, string> = {}, checks?: number, isDemo = false) {
  const fleet = checks === undefined ? undefined : scaleOf(checks, 4);
  const all = DeploySettings.parse({ ALARM_EMAIL: 'ops@example.com', ...settings });
  return preflight(await readLimits(clients), all, fixedCostsOf(all), fleet, isDemo);
}
const only = (findings: Awaited<ReturnType<typeof found>>, is: string) =>
  findings.filter((one) => one.is === is).map((one) => one.message);

describe('preflight', () => {
  it('requests nothing for an account with the usual limits', async () => {
    account(1000);
    const findings = await found({}, 10_000);
    expect([...only(findings, 'ask'), ...only(findings, 'stop')]).toEqual([]);
    expect(only(findings, 'ok').join()).toContain('1000 concurrent executions');
  });

  it('suggests more concurrency for a new account, and how to start without', async () => {
    account(50);
    const findings = await found();
    expect(only(findings, 'stop')).toEqual([]);
    expect(only(findings, 'ask')).toEqual([expect.stringMatching(/request 1,000.*set CONCURRENCY to 50\b/s)]);
  });

  it('stops a reservation that AWS would reject, because the stack would be rolled back', async () => {
    account(150, 130);
    expect(only(await found({ RESERVED_CONCURRENCY: 'ingest=31' }), 'stop')).toEqual([
      expect.stringContaining('reserves 31, but only 30 of 150'),
    ]);
    expect(only(await found({ RESERVED_CONCURRENCY: 'ingest=30' }), 'stop')).toEqual([]);
  });

  it('stops CONCURRENCY above that of the account', async () => {
    account(10);
    expect(only(await found({ CONCURRENCY: '11' }), 'stop').join()).toContain('Set it to 10');
    expect(only(await found({ CONCURRENCY: '10' }, undefined, true), 'stop')).toEqual([]);
  });

  it('stops below 50 concurrent executions, except for a demonstration', async () => {
    account(49);
    expect(only(await found(), 'stop')).toEqual([expect.stringMatching(/request 1,000.*--demo/s)]);
    expect(only(await found({}, undefined, true), 'stop')).toEqual([]);
  });

  it('accepts the default throttle settings at the lowest limits of a region', async () => {
    account(1000);
    throttle = { rateLimit: 2500, burstLimit: 1250 };
    expect(only(await found(), 'stop')).toEqual([]);
  });

  it.each([
    [{ THROTTLE_RATE: '2501' }, 'THROTTLE_RATE is 2501', 'Set it to 2500'],
    [{ THROTTLE_BURST: '1251' }, 'THROTTLE_BURST is 1251', 'Set it to 1250'],
    [{ THROTTLE_PUSH_RATE: '3000' }, 'THROTTLE_PUSH_RATE is 3000', 'Set it to 2500'],
    [{ THROTTLE_PUBLIC_RATE: '3000' }, 'THROTTLE_PUBLIC_RATE is 3000', 'Set it to 2500'],
  ])('stops a throttle above that of the account: %o', async (settings, what, remedy) => {
    account(1000);
    throttle = { rateLimit: 2500, burstLimit: 1250 };
    const [stop, ...more] = only(await found(settings), 'stop');
    expect(stop).toContain(what);
    expect(stop).toContain(remedy);
    expect(stop).toContain('Service Quotas');
    expect(more).toEqual([]);
  });

  it('asks for a recipient of alarms', async () => {
    account(1000);
    expect(only(await found({ ALARM_EMAIL: '' }), 'ask').join()).toContain('ALARM_EMAIL');
  });

  it('stops units of the table above its quota', async () => {
    account(1000);
    expect(only(await found({ TABLE_MAX_READS: '40001' }), 'stop')).toEqual([
      expect.stringMatching(/TABLE_MAX_READS is 40001.*Set it to 40000/s),
    ]);
  });

  it('explains the maximum of the table, and what a larger fleet needs', async () => {
    account(1000);
    expect(only(await found(), 'ok').join()).toMatch(/TABLE_MAX_WRITES 4000 .* 3,201,000 checks.* \$10,368 a month/s);
    expect(only(await found({}, 3_300_000), 'ask').join()).toMatch(/set TABLE_MAX_WRITES to at least 1691 and/);
  });

  it('states the price without checks, and what CONCURRENCY adds', async () => {
    account(1000);
    expect(only(await found(), 'ok').join()).toMatch(/\$\d+\.\d\d a month.* 22 pollers .*Set BUDGET_DOLLARS/s);
    const bounded = only(await found({ CONCURRENCY: '100', BUDGET_DOLLARS: '20' }), 'ok').join();
    expect(bounded).toContain('34 pollers');
    expect(bounded).toContain('CONCURRENCY adds $0.62');
    expect(bounded).not.toContain('Set BUDGET_DOLLARS');
  });

  it('names the quotas that a large fleet exceeds', async () => {
    account(1000);
    const asks = only(await found({}, 20_000_000), 'ask').join(' ');
    expect(asks).toMatch(/concurrent probers/);
    expect(asks).toMatch(/DynamoDB.*20,000,000 are planned/s);
  });

  it('names the permission of an unreadable limit and reads the others', async () => {
    lambda.on(GetAccountSettingsCommand).rejects(Object.assign(new Error('no'), { name: 'AccessDeniedException' }));
    const findings = await found();
    expect(only(findings, 'unknown')[0]).toMatch(/AccessDeniedException: no.*lambda:GetAccountSettings/s);
    expect(only(findings, 'ok').join()).toContain('DynamoDB');
  });

  it('reports unknown without credentials, not ok', async () => {
    const missing = Object.assign(new Error('Could not load credentials'), { name: 'CredentialsProviderError' });
    lambda.on(GetAccountSettingsCommand).rejects(missing);
    dynamo.on(DescribeLimitsCommand).rejects(missing);
    const findings = await found();
    expect(only(findings, 'unknown').filter((message) => message.includes('Could not load credentials'))).toHaveLength(
      2,
    );
  });

  it('reports CloudFront as unknown and quotes the error of a new account', async () => {
    account(1000);
    expect(only(await found(), 'unknown').join()).toContain('must be verified');
  });
});

describe('certificate of a domain', () => {
  const domains = ['status.acme.com', 'acme.com'];
  it.each([
    [{ status: 'ISSUED', names: ['acme.com', '*.acme.com'] }, 'ok', 'issued for status.acme.com, acme.com'],
    [{ status: 'PENDING_VALIDATION', names: domains }, 'stop', 'is PENDING_VALIDATION, not ISSUED'],
    [{ status: 'ISSUED', names: ['*.acme.com'] }, 'stop', 'not for acme.com'],
    [{ status: 'ISSUED', names: ['*.com', 'acme.com'] }, 'stop', 'not for status.acme.com'],
    ['aws acm describe-certificate: AccessDenied', 'unknown', 'acm:DescribeCertificate'],
  ] as const)('%j is %s', (certificate, is, message) => {
    const given = typeof certificate === 'string' ? certificate : { ...certificate, names: [...certificate.names] };
    expect(ofCertificate('CERTIFICATE_ARN', domains, given)).toEqual({ is, message: expect.stringContaining(message) });
  });
});
