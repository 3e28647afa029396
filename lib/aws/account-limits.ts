import { DescribeLimitsCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { GetAccountSettingsCommand, LambdaClient } from '@aws-sdk/client-lambda';

/** Limits of an AWS account in a region. A string is the reason why a limit could not be read. */
export type AccountLimits = {
  /** Concurrency of all Lambda functions, and the unreserved part. */
  concurrency: { total: number; unreserved: number } | string;
  /** Units per second of an on-demand table. */
  table_units: { writes: number; reads: number } | string;
};

type LimitClients = { lambda: LambdaClient; dynamo: DynamoDBClient; close(): void };

/** Returns clients with the credentials and region of the environment. */
export function limitClients(): LimitClients {
  const lambda = new LambdaClient({});
  const dynamo = new DynamoDBClient({});
  return {
    lambda,
    dynamo,
    close: () => {
      lambda.destroy();
      dynamo.destroy();
    },
  };
}

/** Reads the limits. Never throws: the right to read one limit does not imply the right to read the other. */
export async function readLimits({ lambda, dynamo }: LimitClients): Promise<AccountLimits> {
  const [concurrency, table_units] = await Promise.all([
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
  ]);
  return { concurrency, table_units };
}

async function orReason<T>(read: () => Promise<T>): Promise<T | string> {
  try {
    return await read();
  } catch (error) {
    const { name, message } = error as Error;
    return `${name}: ${message}`;
  }
}
