import { Validations } from 'aws-cdk-lib';
import type { HttpApi } from 'aws-cdk-lib/aws-apigatewayv2';
import type { Distribution } from 'aws-cdk-lib/aws-cloudfront';
import type { IBucket } from 'aws-cdk-lib/aws-s3';
import type { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import type { IConstruct } from 'constructs';
import type { Functions } from './functions.ts';

/** Findings of cdk-nag that the stack accepts, with reasons. A test reports every other finding. */
const OF_DEAD_LETTERS = {
  'AwsSolutions-SQS3': 'It is the dead-letter queue of a stream or a schedule, which the rule does not recognize.',
  'Serverless-SQSRedrivePolicy': 'It is a dead-letter queue itself; an alarm fires when it is not empty.',
};
const OF_ROLES = {
  'AwsSolutions-IAM5[Resource::*]':
    'dynamodb:ListStreams does not support resources; the VPC actions have * as in AWSLambdaVPCAccessExecutionRole.',
  'Serverless-LambdaStarPermissions':
    'Only dynamodb:ListStreams and the actions for a VPC apply to all resources; no action has a wildcard.',
};
const OF_FILE_ROLES = {
  'AwsSolutions-IAM5[Resource::<PublicFiles7DC15C12.Arn>/status/*]': 'It writes or reads any file of status pages.',
};
const OF_FUNCTIONS = {
  'Serverless-LambdaDLQ':
    'It is not invoked asynchronously: its sources are HTTP, SQS and the stream, which have dead-letter queues.',
  'Serverless-LambdaTracing':
    'A trace would cost more than the invocation. Logs contain the ids of request, check, slot and transition.',
  'Serverless-LambdaEventSourceMappingDestination':
    'Failed messages of SQS go to its dead-letter queue; only streams need a destination, and they have one.',
};
const OF_API = {
  'AwsSolutions-APIG4':
    'Every function authenticates its callers. Routes without a key are public or have a secret address; tests cover each.',
};
const OF_CDN = {
  'AwsSolutions-CFR1': 'Callers may be in any country; the operator decides which to serve.',
  'AwsSolutions-CFR2': 'A firewall is priced per request and cannot validate keys; the API has a throttle.',
  'AwsSolutions-CFR3':
    'The API has an access log, and the functions log rejected callers. The operator can enable standard logs.',
  'AwsSolutions-CFR4':
    'Without DOMAIN_NAME, the certificate of CloudFront decides the protocols. With it, TLS 1.2 is the minimum.',
};

const OF_BUCKET = {
  'AwsSolutions-S1': 'It has only files that anyone may read, and CloudFront can log requests for them.',
};

const OF_SECRETS = {
  'AwsSolutions-SMG4':
    'It grants no access: with it, a caller that bypasses CloudFront can only claim another address and host.',
};

type Parts = {
  deadLetters: Queue[];
  functions: Functions;
  api: HttpApi;
  bucket: IBucket;
  cdns: Distribution[];
  edge: Secret[];
};

export function acknowledgeFindings({ deadLetters, functions, api, bucket, cdns, edge }: Parts): void {
  for (const queue of deadLetters) acknowledge(queue, OF_DEAD_LETTERS);
  for (const one of Object.values(functions)) {
    acknowledge(one, OF_FUNCTIONS);
    acknowledge(one.role!, OF_ROLES);
  }
  for (const name of ['publisher', 'public'] as const) acknowledge(functions[name].role!, OF_FILE_ROLES);
  acknowledge(api, OF_API);
  acknowledge(bucket, OF_BUCKET);
  for (const one of cdns) acknowledge(one, OF_CDN);
  for (const one of edge) acknowledge(one, OF_SECRETS);
}

function acknowledge(construct: IConstruct, reasons: Record<string, string>): void {
  Validations.of(construct).acknowledge(...Object.entries(reasons).map(([id, reason]) => ({ id, reason })));
}
