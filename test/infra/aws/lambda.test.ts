import type { Context } from 'aws-lambda';
import { describe, expect, it } from 'vitest';
import { queueUrls, queueVariable, readFunctionVariables } from '#lib/aws/environment.ts';
import { lambda } from '#lib/aws/lambda/lambda.ts';
import { scheduleLag } from '#lib/aws/metrics.ts';
import { memoryLog } from '#test/support/log.ts';

const context = (left: number) => ({ awsRequestId: 'r1', getRemainingTimeInMillis: () => left }) as Context;
const log = () => {
  const begun: string[] = [];
  return { ...memoryLog(), begun, begin: (id: string) => void begun.push(id) };
};

describe('lambda', () => {
  it('adds the request id to every log line, and measures a finished invocation', async () => {
    const lines = log();
    const measured: unknown[] = [];
    const handler = lambda(async (event: { n: number }) => event.n + 1, {
      log: lines,
      measure: (event, answer) => measured.push([event, answer]),
    });
    expect(await handler({ n: 1 }, context(10_000))).toBe(2);
    expect(lines.begun).toEqual(['r1']);
    expect(measured).toEqual([[{ n: 1 }, 2]]);
  });

  it('aborts a second before the timeout, so that the function can report its progress', async () => {
    const handler = lambda(
      (_event: object, { signal }) =>
        new Promise((resolve) => signal.addEventListener('abort', () => resolve({ batchItemFailures: [] }))),
      { log: log() },
    );
    expect(await handler({}, context(1005))).toEqual({ batchItemFailures: [] });
  });

  it('logs and rethrows errors to Lambda', async () => {
    const lines = log();
    const handler = lambda(() => Promise.reject(new Error('broken')), { log: lines });
    await expect(handler({}, context(10_000))).rejects.toThrow('broken');
    expect(lines.lines).toMatchObject([{ level: 'error', message: 'function failed' }]);
  });

  it('reads the URLs of its permitted queues from the environment', () => {
    const env = {
      [queueVariable('tick')]: 'https://q/tick',
      [queueVariable('a-b')]: 'https://q/a-b',
      QUEUE_URL_X: 'x',
    };
    expect(queueUrls(env, ['tick', 'a-b', 'job'])).toEqual({ tick: 'https://q/tick', 'a-b': 'https://q/a-b' });
    expect(() => readFunctionVariables({})).toThrow('TABLE_NAME');
  });

  it('measures the lag of a tick, and not of other events', () => {
    const tick = { Records: [{ body: JSON.stringify({ scheduled_time: '2026-11-21T09:00:00Z' }) }] };
    expect(scheduleLag(tick, Date.parse('2026-11-21T09:00:42Z'))).toBe(42);
    expect(scheduleLag({ Records: [{ body: '{"jobs":[]}' }] }, 0)).toBeUndefined();
    expect(scheduleLag({ rawPath: '/' }, 0)).toBeUndefined();
  });
});
