import { describe, expect, it } from 'vitest';
import { boundsOf } from '#infra/aws/event-source-limits.ts';
import { queues } from '#infra/topology.ts';
import { ofType, queueIn, synthesize } from './synthesized.ts';

/** Returns the MaximumConcurrency of each queue whose event source has one. */
function deployed(settings: Record<string, string> = {}): Record<string, number> {
  const { template } = synthesize(settings);
  const sources = ofType(template, 'AWS::Lambda::EventSourceMapping').filter((one) => !one.StartingPosition);
  const found = Object.keys(queues).map((name) => {
    const source = sources.find((one) => one.EventSourceArn['Fn::GetAtt'][0] === queueIn(template, name));
    return [name, source.ScalingConfig?.MaximumConcurrency];
  });
  return Object.fromEntries(found.filter(([, bound]) => bound !== undefined));
}

const sumOf = (bounds: Partial<Record<string, number>>) =>
  Object.values(bounds).reduce<number>((sum, bound) => sum + bound!, 0);
const waiting = Object.keys(queues).filter((name) => queues[name as keyof typeof queues].waits);

describe('concurrency of queues', () => {
  it('is unbounded by default, so that idle event sources do not keep five pollers', () => {
    expect(deployed()).toEqual({});
  });

  it('leaves concurrency for requests in an account with a limit of ten', () => {
    const bounds = deployed({ CONCURRENCY: '10' });
    expect(Object.keys(bounds)).toEqual(waiting);
    expect(sumOf(bounds)).toBeLessThanOrEqual(8);
  });

  it.each([10, 50, 100, 1000, 1001, 5000])(
    'grows with an account limit of %i, within the limits of an event source',
    (total) => {
      const bounds = boundsOf(total);
      for (const bound of Object.values(bounds)) {
        expect(bound).toBeGreaterThanOrEqual(2);
        expect(bound).toBeLessThanOrEqual(1000);
      }
      expect(sumOf(bounds)).toBeLessThanOrEqual(Math.max(2 * waiting.length, 0.8 * total));
    },
  );

  it('is unbounded above the maximum of an event source', () => {
    expect(boundsOf(100_000)).toEqual({});
  });

  it.each(['0', '9', 'ten'])('rejects CONCURRENCY %s', (CONCURRENCY) => {
    expect(() => synthesize({ CONCURRENCY })).toThrow('CONCURRENCY');
  });
});
