import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { systemClock } from '#lib/platform/clock.ts';
import { makeIds } from '#lib/platform/ids.ts';
import type { Table } from '#lib/platform/ports.ts';
import { CLIENT_SETTINGS } from './client-settings.ts';
import { dynamoTable } from './dynamodb-table.ts';

/** Returns a deployed table, with the credentials and region of the environment. `close` lets the process end. */
export function deployedTable(name: string): Table & { close(): void } {
  const client = new DynamoDBClient(CLIENT_SETTINGS);
  const table = dynamoTable({ client, table: name, clock: systemClock, ids: makeIds(systemClock) });
  return { ...table, close: () => client.destroy() };
}
