import { Validations } from 'aws-cdk-lib';
import type { HttpApi } from 'aws-cdk-lib/aws-apigatewayv2';
import type { Distribution } from 'aws-cdk-lib/aws-cloudfront';
import type { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import type { IConstruct } from 'constructs';
import type { Functions } from './functions.ts';

/** Rules of cdk-nag that the stack does not follow, and why. A test finds every other finding. */
const OF_DEAD_LETTERS = {
  'AwsSolutions-SQS3': 'It is a dead-letter queue: of a stream or a schedule, which the rule does not see.',
  'Serverless-SQSRedrivePolicy': 'It is a dead-letter queue itself; an alarm says when it is not empty.',
};
const OF_ROLES = {
  'AwsSolutions-IAM5[Resource::*]':
    'dynamodb:ListStreams and what a VPC wants (ec2:…NetworkInterface…) know no resources.',
  'Serverless-LambdaStarPermissions': 'The same: no action of these has a star.',
};
const OF_FUNCTIONS = {
  'Serverless-LambdaDLQ':
    'Nothing invokes it asynchronously: its sources are HTTP, SQS and the stream, with dead letters of their own.',
  'Serverless-LambdaTracing':
    'A trace of every run would cost more than the run. Logs carry the ids of request, check, slot and transition.',
  'Serverless-LambdaEventSourceMappingDestination':
    'What SQS cannot hand over goes to the dead letters of the queue; a destination is for streams, which have one.',
};
const OF_API = {
  'AwsSolutions-APIG4':
    'Every function judges the Bearer key at its gates, before anything else: the tests of the gates go through each row.',
};
const OF_CDN = {
  'AwsSolutions-CFR1': "The service is for callers anywhere; whom it serves is the operator's to say.",
  'AwsSolutions-CFR2': 'A firewall costs by the request and knows no keys; the API has a throttle.',
  'AwsSolutions-CFR3':
    'The API has an access log, and the functions log whom they refuse. Standard logs are for the operator to switch on.',
  'AwsSolutions-CFR4':
    "Without a domain of its own, CloudFront's certificate sets the protocols. With DOMAIN_NAME it is TLS 1.2 or newer.",
};

const OF_SECRETS = {
  'AwsSolutions-SMG4':
    'It opens nothing: whoever has it can but claim another address and host of theirs, past CloudFront.',
};

type Parts = {
  deadLetters: Queue[];
  functions: Functions;
  api: HttpApi;
  cdn: Distribution | undefined;
  edge: Secret | undefined;
};

export function acknowledgeFindings({ deadLetters, functions, api, cdn, edge }: Parts): void {
  for (const queue of deadLetters) acknowledge(queue, OF_DEAD_LETTERS);
  for (const one of Object.values(functions)) {
    acknowledge(one, OF_FUNCTIONS);
    acknowledge(one.role!, OF_ROLES);
  }
  acknowledge(api, OF_API);
  if (cdn) acknowledge(cdn, OF_CDN);
  if (edge) acknowledge(edge, OF_SECRETS);
}

function acknowledge(what: IConstruct, reasons: Record<string, string>): void {
  Validations.of(what).acknowledge(...Object.entries(reasons).map(([id, reason]) => ({ id, reason })));
}
