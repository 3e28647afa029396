import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { DescribeLimitsCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { GetAccountSettingsCommand, LambdaClient } from '@aws-sdk/client-lambda';

/** Limits of an AWS account in a region. A string is the reason why a limit could not be read. */
export type AccountLimits = {
  concurrency: { total: number; unreserved: number } | string;
  /** Units per second of an on-demand table. */
  table_units: { writes: number; reads: number } | string;
  /** Requests per second of all APIs of API Gateway, and their burst. */
  requests: { rate: number; burst: number } | string;
};

type LimitClients = {
  lambda: LambdaClient;
  dynamo: DynamoDBClient;
  gatewayAccount(): Promise<string>;
  close(): void;
};

const GATEWAY_ACCOUNT = ['apigateway', 'get-account', '--output', 'json', '--no-cli-pager'];
const CLI_MS = 20_000;

/** Returns clients with the credentials and region of the environment. */
export function limitClients(): LimitClients {
  const lambda = new LambdaClient({});
  const dynamo = new DynamoDBClient({});
  return {
    lambda,
    dynamo,
    // Runs the AWS CLI, which a deployment needs anyway, instead of a client of 5 MB.
    gatewayAccount: async () => (await promisify(execFile)('aws', GATEWAY_ACCOUNT, { timeout: CLI_MS })).stdout,
    close: () => {
      lambda.destroy();
      dynamo.destroy();
    },
  };
}

/** Reads the limits. Never throws: the right to read one limit does not imply the right to read another. */
export async function readLimits({ lambda, dynamo, gatewayAccount }: LimitClients): Promise<AccountLimits> {
  const [concurrency, table_units, requests] = await Promise.all([
    orReason(async () => {
      const { AccountLimit } = await lambda.send(new GetAccountSettingsCommand({}));
      const { ConcurrentExecutions: total, UnreservedConcurrentExecutions: unreserved } = AccountLimit ?? {};
      if (total === undefined || unreserved === undefined) throw new Error('Lambda returned no limit.');
      return { total, unreserved };
    }),
    orReason(async () => {
      const { TableMaxWriteCapacityUnits: writes, TableMaxReadCapacityUnits: reads } = await dynamo.send(
        new DescribeLimitsCommand({}),
      );
      if (writes === undefined || reads === undefined) throw new Error('DynamoDB returned no limit.');
      return { writes, reads };
    }),
    orReason(async () => {
      const { throttleSettings } = JSON.parse(await gatewayAccount()) as {
        throttleSettings?: { rateLimit?: number; burstLimit?: number };
      };
      const { rateLimit: rate, burstLimit: burst } = throttleSettings ?? {};
      if (rate === undefined || burst === undefined) throw new Error('API Gateway returned no limit.');
      return { rate, burst };
    }),
  ]);
  return { concurrency, table_units, requests };
}

async function orReason<T>(read: () => Promise<T>): Promise<T | string> {
  try {
    return await read();
  } catch (error) {
    const { name, message } = error as Error;
    return `${name}: ${message}`;
  }
}
