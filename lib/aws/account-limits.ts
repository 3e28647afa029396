import { DescribeLimitsCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { GetAccountSettingsCommand, LambdaClient } from '@aws-sdk/client-lambda';

/** What AWS lets an account have in a region. A limit that could not be read is the reason why, in a sentence. */
export type AccountLimits = {
  /** Lambda's concurrency: of all functions together, and the part that is not reserved. */
  concurrency: { total: number; unreserved: number } | string;
  /** Units a second that a table on demand may take, for writes and for reads. */
  table_units: { writes: number; reads: number } | string;
};

type LimitClients = { lambda: LambdaClient; dynamo: DynamoDBClient; close(): void };

/** With the credentials and the region of the environment, as every tool of AWS finds them. */
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

/** Never throws: what cannot be read is told, as the right to read one limit says nothing of the others. */
export async function readLimits({ lambda, dynamo }: LimitClients): Promise<AccountLimits> {
  const [concurrency, table_units] = await Promise.all([
    orReason(async () => {
      const { AccountLimit } = await lambda.send(new GetAccountSettingsCommand({}));
      const { ConcurrentExecutions: total, UnreservedConcurrentExecutions: unreserved } = AccountLimit ?? {};
      if (total === undefined || unreserved === undefined) throw new Error('Lambda told no limit.');
      return { total, unreserved };
    }),
    orReason(async () => {
      const { TableMaxWriteCapacityUnits: writes, TableMaxReadCapacityUnits: reads } = await dynamo.send(
        new DescribeLimitsCommand({}),
      );
      if (writes === undefined || reads === undefined) throw new Error('DynamoDB told no limit.');
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
