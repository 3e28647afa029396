import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { lambdaLog } from '#lib/aws/lambda/lambda.ts';
import { batchMetrics } from '#lib/aws/metrics.ts';

const lines: Record<string, unknown>[] = [];

beforeEach(() => {
  lines.length = 0;
  vi.stubEnv('POWERTOOLS_METRICS_NAMESPACE', 'Fleetwatch/blue');
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
    lines.push(JSON.parse(String(text)));
    return true;
  });
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
});

const tick = { Records: [{ body: JSON.stringify({ scheduled_time: new Date(Date.now() - 42_000).toISOString() }) }] };
const failed = (...ids: string[]) => ({ batchItemFailures: ids.map((itemIdentifier) => ({ itemIdentifier })) });

describe('the metrics of a function that is fed', () => {
  it('say how late a tick was, in the namespace of the stack, by the function', () => {
    batchMetrics('generator').measure(tick, failed());
    expect(lines).toHaveLength(1);
    const { _aws, ScheduleLag } = lines[0] as { _aws: object; ScheduleLag: number };
    expect(ScheduleLag).toBeGreaterThanOrEqual(42);
    expect(lines[0]).toMatchObject({ service: 'generator' });
    expect(_aws).toMatchObject({
      CloudWatchMetrics: [{ Namespace: 'Fleetwatch/blue', Dimensions: [['service']], Metrics: [{ Unit: 'Seconds' }] }],
    });
  });

  it('say nothing of the lag of a tick that failed, as nothing was emitted', () => {
    batchMetrics('generator').measure(tick, failed('m1'));
    expect(lines).toMatchObject([{ FailedRecords: 1 }]);
    expect(lines[0]).not.toHaveProperty('ScheduleLag');
  });

  it('count the records that are given back, and keep silent when there are none', () => {
    const { measure } = batchMetrics('prober');
    measure({ Records: [{ body: '{"jobs":[]}' }] }, failed());
    measure({ Records: [{ body: '{"jobs":[]}' }] }, failed('m1', 'm2'));
    expect(lines).toMatchObject([{ FailedRecords: 2, service: 'prober' }]);
  });

  it('are written at once, also where the log is silent', () => {
    // Lambda's own level of what it passes on, where functions log in JSON.
    vi.stubEnv('AWS_LAMBDA_LOG_LEVEL', 'INFO');
    lambdaLog('silent', 'deliverer').error('not shown');
    lambdaLog('error', 'deliverer').info('not shown');
    batchMetrics('deliverer').count('FailedDeliveries');
    expect(lines).toMatchObject([{ FailedDeliveries: 1, service: 'deliverer' }]);
  });
});
