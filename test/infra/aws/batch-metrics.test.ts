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

describe('batchMetrics', () => {
  it('publishes the lag of a tick, in the namespace of the stack, by function', () => {
    batchMetrics('generator').measure(tick, failed());
    expect(lines).toHaveLength(1);
    const { _aws, ScheduleLag } = lines[0] as { _aws: object; ScheduleLag: number };
    expect(ScheduleLag).toBeGreaterThanOrEqual(42);
    expect(lines[0]).toMatchObject({ service: 'generator' });
    expect(_aws).toMatchObject({
      CloudWatchMetrics: [{ Namespace: 'Fleetwatch/blue', Dimensions: [['service']], Metrics: [{ Unit: 'Seconds' }] }],
    });
  });

  it('publishes no lag of a failed tick, which emitted nothing', () => {
    batchMetrics('generator').measure(tick, failed('m1'));
    expect(lines).toMatchObject([{ FailedRecords: 1 }]);
    expect(lines[0]).not.toHaveProperty('ScheduleLag');
  });

  it('counts failed records, and publishes nothing without any', () => {
    const { measure } = batchMetrics('prober');
    measure({ Records: [{ body: '{"jobs":[]}' }] }, failed());
    measure({ Records: [{ body: '{"jobs":[]}' }] }, failed('m1', 'm2'));
    expect(lines).toMatchObject([{ FailedRecords: 2, service: 'prober' }]);
  });

  it('writes metrics at once, also with a silent log', () => {
    // Log level that Lambda applies to JSON logs.
    vi.stubEnv('AWS_LAMBDA_LOG_LEVEL', 'INFO');
    lambdaLog('silent', 'deliverer').error('not shown');
    lambdaLog('error', 'deliverer').info('not shown');
    batchMetrics('deliverer').count('FailedDeliveries');
    expect(lines).toMatchObject([{ FailedDeliveries: 1, service: 'deliverer' }]);
  });
});
