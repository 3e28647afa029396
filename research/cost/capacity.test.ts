import {
  BatchGetItemCommand,
  BatchWriteItemCommand,
  DeleteItemCommand,
  type DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  QueryCommand,
  TransactWriteItemsCommand,
} from '@aws-sdk/client-dynamodb';
import { describe, expect, it } from 'vitest';
import { dynamoTable, toAttributes } from '#lib/aws/dynamodb-table.ts';
import { systemClock } from '#lib/platform/clock.ts';
import { makeIds } from '#lib/platform/ids.ts';
import { standIns, startStandIn, TABLE } from '#test/infra/aws/stand-in.ts';
import { NO_LINEAGE } from '#test/support/lineage.ts';
import { tableContract } from '#test/support/table-contract.ts';
import { makeClients } from './clients.ts';
import { dynamoAnswers } from './dynamo-answers.ts';
import { makeItemStore } from './item-store.ts';
import { makeMeter } from './meter.ts';

/** Creates the table of `npm run test:nightly -- cost` and its meter. */
function costTable() {
  const meter = makeMeter();
  const services = { table: dynamoAnswers(makeItemStore(), () => {}), send: () => {} };
  const clock = { uncharged: <T>(work: () => T) => work(), sleep: async () => {} };
  const { dynamo } = makeClients(services, meter, clock, { cpu_ms: 0, path: 'test', lineage: NO_LINEAGE });
  return { client: dynamo, units: () => meter.reading().paths.get('test')! };
}

describe('the table of the cost bench', () => {
  tableContract('the table of the cost bench', async () =>
    dynamoTable({ client: costTable().client, table: 'fleet', clock: systemClock, ids: makeIds(systemClock) }),
  );
});

const TableName = TABLE.TableName;
const ReturnConsumedCapacity = 'TOTAL';
const key = (sk: string) => toAttributes({ pk: 'p', sk });
const item = (sk: string, bytes: number, more: object = {}) =>
  toAttributes({ pk: 'p', sk, ...more, text: 'x'.repeat(bytes) });
const put = (Item: ReturnType<typeof item>, more: object = {}) => ({ TableName, Item, ...more });
/** Attributes as in items of the service. */
const RICH = {
  v: '01jd',
  flag: true,
  none: null,
  at: 1_763_718_000_123,
  part: -0.25,
  list: [{ id: 'chn_1', reports_state: 'up' }],
  map: { a: { b: [1, 2] } },
};

type TableRequest = (client: DynamoDBClient) => Promise<{ ConsumedCapacity?: unknown }>;
const requests: [string, TableRequest][] = [
  ['a small put', (c) => c.send(new PutItemCommand({ ...put(item('a', 200, RICH)), ReturnConsumedCapacity }))],
  [
    'a put just under a kilobyte',
    (c) => c.send(new PutItemCommand({ ...put(item('b', 1015)), ReturnConsumedCapacity })),
  ],
  [
    'a put just over a kilobyte',
    (c) => c.send(new PutItemCommand({ ...put(item('b', 1020)), ReturnConsumedCapacity })),
  ],
  [
    'a smaller item over a larger one',
    (c) => c.send(new PutItemCommand({ ...put(item('b', 9)), ReturnConsumedCapacity })),
  ],
  [
    'puts of one batch',
    (c) =>
      c.send(
        new BatchWriteItemCommand({
          RequestItems: { [TableName]: [5000, 100].map((n) => ({ PutRequest: { Item: item(`c${n}`, n) } })) },
          ReturnConsumedCapacity,
        }),
      ),
  ],
  [
    'a transaction of puts, a deletion and a condition',
    (c) =>
      c.send(
        new TransactWriteItemsCommand({
          TransactItems: [
            { Put: put(item('d', 1500), { ConditionExpression: 'attribute_not_exists(pk)' }) },
            { Put: put(item('e', 10)) },
            { Delete: { TableName, Key: key('b') } },
            { ConditionCheck: { TableName, Key: key('zz'), ConditionExpression: 'attribute_not_exists(pk)' } },
          ],
          ReturnConsumedCapacity,
        }),
      ),
  ],
  [
    'a strong read of 5 KB',
    (c) => c.send(new GetItemCommand({ TableName, Key: key('c5000'), ConsistentRead: true, ReturnConsumedCapacity })),
  ],
  [
    'a read of nothing',
    (c) => c.send(new GetItemCommand({ TableName, Key: key('no'), ConsistentRead: true, ReturnConsumedCapacity })),
  ],
  [
    'strong reads of one batch',
    (c) =>
      c.send(
        new BatchGetItemCommand({
          RequestItems: { [TableName]: { Keys: ['a', 'e', 'c5000'].map(key), ConsistentRead: true } },
          ReturnConsumedCapacity,
        }),
      ),
  ],
  ...[true, false].map((ConsistentRead): [string, TableRequest] => [
    `a query of all, ${ConsistentRead ? 'strongly' : 'eventually'} consistent`,
    (c) =>
      c.send(
        new QueryCommand({
          TableName,
          KeyConditionExpression: 'pk = :pk',
          ExpressionAttributeValues: toAttributes({ ':pk': 'p' }),
          ConsistentRead,
          ReturnConsumedCapacity,
        }),
      ),
  ]),
  ['a deletion', (c) => c.send(new DeleteItemCommand({ TableName, Key: key('c5000'), ReturnConsumedCapacity }))],
];

/** Returns the units in a response, which has the capacity of one table or a list of tables. */
function unitsOf({ ConsumedCapacity }: { ConsumedCapacity?: unknown }): number | undefined {
  const [first] = [ConsumedCapacity].flat() as { CapacityUnits?: number }[];
  return first?.CapacityUnits;
}

/** DynamoDB Local does not charge a transaction as AWS documents it: two units per started KB of each write. */
const isComparable = (standIn: string, name: string) =>
  standIn !== 'DynamoDB Local' || !name.startsWith('a transaction');

describe.each(Object.entries(standIns))('capacity, as %s counts it', (standInName, begin) => {
  it.skipIf(!begin)('equals that of the cost bench', async () => {
    const standIn = await startStandIn(begin!);
    const { client } = costTable();
    try {
      for (const [name, send] of requests) {
        const [counted, expected] = [unitsOf(await send(client)), unitsOf(await send(standIn.client))];
        if (isComparable(standInName, name)) expect([name, counted]).toEqual([name, expected]);
      }
    } finally {
      standIn.stop();
    }
  });
});

describe('capacity', () => {
  it('is used even if a condition fails or a transaction is canceled', async () => {
    const { client, units } = costTable();
    const absent = { ConditionExpression: 'attribute_not_exists(pk)' };
    await client.send(new PutItemCommand(put(item('a', 1500), absent)));
    expect(units().write_units).toBe(2);
    const again = put(item('a', 100), absent);
    await expect(client.send(new PutItemCommand(again))).rejects.toMatchObject({
      name: 'ConditionalCheckFailedException',
    });
    expect(units().write_units).toBe(4);
    const both = new TransactWriteItemsCommand({ TransactItems: [{ Put: again }, { Put: put(item('b', 10)) }] });
    await expect(client.send(both)).rejects.toMatchObject({ name: 'TransactionCanceledException' });
    expect(units().write_units).toBe(10);
  });
});
