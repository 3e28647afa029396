import type { HttpApi } from 'aws-cdk-lib/aws-apigatewayv2';
import type { IMetric, Metric, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import type { ITableV2 } from 'aws-cdk-lib/aws-dynamodb';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import type { Functions } from '#infra/aws/functions.ts';
import type { QueueName } from '#lib/messages.ts';

export type Watched = {
  table: ITableV2;
  queues: Record<QueueName, Queue>;
  deadLetters: Queue[];
  functions: Functions;
  api: HttpApi;
  throttledPushes: Metric;
};

export type Rule = {
  name: string;
  description: string;
  metric: IMetric;
  above: number;
  minutes?: number;
  missing?: TreatMissingData;
};
