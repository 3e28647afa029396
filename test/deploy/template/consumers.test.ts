import { App, Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { Code, Function as LambdaFunction, Runtime } from 'aws-cdk-lib/aws-lambda';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { describe, expect, it } from 'vitest';
import { makeConsumers } from '#infra/aws/consumers.ts';
import { type FunctionName, functions, queues } from '#infra/topology.ts';
import type { QueueName } from '#lib/messages.ts';
import { ofType } from './synthesized.ts';

/** The MaximumConcurrency of the queue `job` with this concurrency in the topology. */
function boundOfJobs(concurrency: number): number | undefined {
  const stack = new Stack(new App());
  const lambda = { runtime: Runtime.NODEJS_24_X, handler: 'index.handler', code: Code.fromInline('//') };
  const each = <T>(names: string[], make: (name: string) => T) => names.map((name) => [name, make(name)]);
  makeConsumers(
    Object.fromEntries(each(Object.keys(queues), (name) => new Queue(stack, `Queue-${name}`))) as Record<
      QueueName,
      Queue
    >,
    Object.fromEntries(each(Object.keys(functions), (name) => new LambdaFunction(stack, name, lambda))) as Record<
      FunctionName,
      LambdaFunction
    >,
    { ...queues, job: { ...queues.job, concurrency } },
  );
  const sources = ofType(Template.fromStack(stack), 'AWS::Lambda::EventSourceMapping');
  expect(sources).toHaveLength(Object.keys(queues).length);
  return sources.find((one) => one.EventSourceArn['Fn::GetAtt'][0].startsWith('Queuejob')).ScalingConfig
    ?.MaximumConcurrency;
}

describe('the concurrency of a queue', () => {
  it.each(Object.entries(queues))('of %s can be deployed', (_, { concurrency }) => {
    expect(concurrency).toBeGreaterThanOrEqual(2);
    expect(concurrency).toBeLessThanOrEqual(1000);
  });

  it.each([
    [1, 2],
    [50, 50],
    [1000, 1000],
    // The most that can be set; above it an event source goes up to 1,250 when nothing is set.
    [1001, undefined],
    [1250, undefined],
  ])('%i becomes a bound of %s', (concurrency, bound) => {
    expect(boundOfJobs(concurrency)).toBe(bound);
  });

  it('is refused where no event source has so much', () => {
    expect(() => boundOfJobs(1251)).toThrow('1250 batches');
  });
});
