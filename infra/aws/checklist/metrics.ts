import { aws } from '#infra/aws-cli.ts';
import type { Json } from '#infra/smoke/call.ts';

/** Deployed stack, read with the AWS CLI and its credentials. */
export type Stack = { name: string; functions: string[]; queues: string[] };

type Metric = { namespace: string; metric: string; dimension: string; of: string; statistic: 'Sum' | 'Maximum' };

const HOUR_MS = 3_600_000;

/** Reads the functions and queues of a stack. Throws AwsError. */
export async function readStack(name: string): Promise<Stack> {
  const words = ['cloudformation', 'list-stack-resources', '--stack-name', name];
  const { StackResourceSummaries: all } = await aws(words);
  const of = (type: string): string[] =>
    all.filter((one: Json) => one.ResourceType === type).map((one: Json) => one.PhysicalResourceId);
  const queues = of('AWS::SQS::Queue').map((url) => url.split('/').at(-1)!);
  return { name, functions: of('AWS::Lambda::Function'), queues: queues.filter((one) => !one.includes('Dead')) };
}

/** Value of the last hour; undefined: no data. */
type HourValue = { what: string; value: number | undefined; is_schedule: boolean };

/** Reads the last hour of a metric, or of `lag` (schedule and queues), one value per function or queue. */
export async function lastHourOf(
  { name, functions, queues }: Stack,
  what: 'RecursiveInvocationsDropped' | 'NumberOfEmptyReceives' | 'lag',
): Promise<HourValue[]> {
  const ofQueues = (metric: string, statistic: Metric['statistic']): Metric[] =>
    queues.map((of) => ({ namespace: 'AWS/SQS', metric, dimension: 'QueueName', of, statistic }));
  const wanted: Record<typeof what, Metric[]> = {
    RecursiveInvocationsDropped: functions.map((of) => ({
      namespace: 'AWS/Lambda',
      metric: what,
      dimension: 'FunctionName',
      of,
      statistic: 'Sum',
    })),
    NumberOfEmptyReceives: ofQueues(what, 'Sum'),
    lag: [
      {
        namespace: `Fleetwatch/${name}`,
        metric: 'ScheduleLag',
        dimension: 'service',
        of: 'generator',
        statistic: 'Maximum',
      },
      ...ofQueues('ApproximateAgeOfOldestMessage', 'Maximum'),
    ],
  };
  return Promise.all(
    wanted[what].map(async (one) => ({
      what: `${one.metric} of ${one.of}`,
      value: await lastHour(one),
      is_schedule: one.metric === 'ScheduleLag',
    })),
  );
}

async function lastHour({ namespace, metric, dimension, of, statistic }: Metric): Promise<number | undefined> {
  const now = Date.now();
  const { Datapoints } = await aws([
    ...['cloudwatch', 'get-metric-statistics', '--namespace', namespace, '--metric-name', metric],
    ...['--dimensions', `Name=${dimension},Value=${of}`, '--statistics', statistic, '--period', '3600'],
    ...['--start-time', new Date(now - HOUR_MS).toISOString(), '--end-time', new Date(now).toISOString()],
  ]);
  // CloudWatch returns two periods if the range overlaps two clock hours.
  const values = Datapoints.map((one: Json) => Number(one[statistic]));
  return values.length === 0 ? undefined : Math.max(...values);
}
