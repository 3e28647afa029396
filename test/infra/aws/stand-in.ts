import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CreateTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { CLIENT_SETTINGS } from '#lib/aws/client-settings.ts';
import { dynamoTable } from '#lib/aws/dynamodb-table.ts';
import { systemClock } from '#lib/platform/clock.ts';
import { makeIds } from '#lib/platform/ids.ts';
import type { Table } from '#lib/platform/ports.ts';
import { eventually } from '#test/support/eventually.ts';
import { lastingPort } from '#test/support/lasting-port.ts';

const root = join(import.meta.dirname, '../../..');

/** Returns the command that starts a DynamoDB substitute on a port of the loopback interface. */
export type StartCommand = (port: string) => { command: string; args: string[] };

const dynoxide = [`${root}/node_modules/@dynoxide/${process.platform}-${process.arch}/dynoxide`]
  .flatMap((file) => [file, `${file}.exe`])
  .find(existsSync);
/** Folder of DynamoDB Local, which .ci/peers installs if Maven exists (dynamodb-local.pom.xml). */
const jars = `${root}/.cache/dynamodb-local`;
const local = ['com.amazonaws.services.dynamodbv2.local.main.ServerRunner', '-inMemory', '-sharedDb', '-port'];

/** Substitutes by name: a small one from npm, and DynamoDB Local in Java; undefined if one is not installed. */
export const standIns: Record<string, StartCommand | undefined> = {
  dynoxide:
    dynoxide === undefined
      ? undefined
      : (port) => ({ command: dynoxide, args: ['serve', '--host', '127.0.0.1', '--port', port] }),
  'DynamoDB Local': existsSync(jars)
    ? (port) => ({ command: 'java', args: [`-Djava.library.path=${jars}`, '-cp', `${jars}/*`, ...local, port] })
    : undefined,
};

export type StandIn = { client: DynamoDBClient; table: Table; stop(): void };

/** Starts a DynamoDB substitute in memory on a free network port, and creates an empty table in it. */
export async function startStandIn(start: StartCommand): Promise<StandIn> {
  const port = String(await lastingPort());
  const { command, args } = start(port);
  const child = spawn(command, args, { cwd: tmpdir(), stdio: 'ignore' });
  const stop = () => void child.kill('SIGKILL');
  process.once('exit', stop);
  const client = new DynamoDBClient({
    ...CLIENT_SETTINGS,
    endpoint: `http://127.0.0.1:${port}`,
    region: 'eu-central-1',
    credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
  });
  await eventually(
    () =>
      client.send(new CreateTableCommand(TABLE)).catch((error: Error) => {
        // A request without a timely response may have been executed.
        if (error.name !== 'ResourceInUseException') throw error;
        return true;
      }),
    30_000,
  );
  return {
    client,
    table: dynamoTable({ client, table: TABLE.TableName, clock: systemClock, ids: makeIds(systemClock) }),
    stop: () => {
      client.destroy();
      stop();
      process.off('exit', stop);
    },
  };
}

export const TABLE = {
  TableName: 'contract',
  BillingMode: 'PAY_PER_REQUEST',
  AttributeDefinitions: [
    { AttributeName: 'pk', AttributeType: 'S' },
    { AttributeName: 'sk', AttributeType: 'S' },
  ],
  KeySchema: [
    { AttributeName: 'pk', KeyType: 'HASH' },
    { AttributeName: 'sk', KeyType: 'RANGE' },
  ],
} satisfies ConstructorParameters<typeof CreateTableCommand>[0];
