import {
  type AttributeValue,
  BatchGetItemCommand,
  BatchWriteItemCommand,
  ConditionalCheckFailedException,
  DeleteItemCommand,
  type DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  QueryCommand,
  type QueryCommandInput,
  TransactionCanceledException,
  TransactWriteItemsCommand,
} from '@aws-sdk/client-dynamodb';
import { marshall, unmarshall } from '@aws-sdk/util-dynamodb';
import { chunks } from '#lib/platform/plain-data.ts';
import type { Freshness, Item, Key, Page, Query, Table, Write, WriteOutcome } from '#lib/platform/ports.ts';
import { checkTransaction, isKey, isPartition, itemText } from '#lib/platform/table/item-limits.ts';
import { inRounds, isTemporaryFailure, type RetryPorts, translate, unavailable } from './in-rounds.ts';

type Attributes = Record<string, AttributeValue>;

/** Converts an item to attributes. Doubles are stored exactly: they have 17 digits, DynamoDB stores 38. */
export const toAttributes = (item: object): Attributes => marshall(item, { allowImpreciseNumbers: true });

const fromAttributes = <T extends Item>(attributes: Attributes): T =>
  unmarshall(attributes, { wrapNumbers: Number }) as T;

/** Returns the query; undefined if its range is empty. DynamoDB rejects that, and a start key outside the range. */
function queryInput(table: string, query: Query): QueryCommandInput | undefined {
  const { partition, descending = false, limit, after } = query;
  if (limit !== undefined && !(Number.isInteger(limit) && limit >= 1)) {
    throw new Error(`The limit of a page must be a whole number of at least 1; it was ${limit}.`);
  }
  const range = rangeOf(query);
  if (!range || !isPartition(partition)) return undefined;
  const position = after === undefined ? undefined : range.positionOf(after);
  if (position === (descending ? 'below' : 'above')) return undefined;
  return {
    TableName: table,
    KeyConditionExpression: `pk = :pk${range.expression}`,
    ExpressionAttributeValues: toAttributes({ ':pk': partition, ...range.values }),
    ScanIndexForward: !descending,
    ConsistentRead: !query.eventual,
    ...(limit !== undefined && { Limit: limit }),
    ...(position === 'inside' && { ExclusiveStartKey: toAttributes({ pk: partition, sk: after }) }),
  };
}

type KeyPosition = 'below' | 'inside' | 'above';
type Range = { expression: string; values: Record<string, string>; positionOf(sk: string): KeyPosition };

function rangeOf({ from, to }: Query): Range | undefined {
  if (to !== undefined && to < (from || ' ')) return undefined;
  const positionOf = (sk: string) => (from && sk < from ? 'below' : to !== undefined && sk > to ? 'above' : 'inside');
  if (from && to !== undefined) {
    return { expression: ' AND sk BETWEEN :from AND :to', values: { ':from': from, ':to': to }, positionOf };
  }
  if (from) return { expression: ' AND sk >= :from', values: { ':from': from }, positionOf };
  if (to !== undefined) return { expression: ' AND sk <= :to', values: { ':to': to }, positionOf };
  return { expression: '', values: {}, positionOf };
}

/** Maximum items per request (BatchGetItem, BatchWriteItem). */
const MAX_GETS = 100;
const MAX_PUTS = 25;

type Options = RetryPorts & { client: DynamoDBClient; table: string };

/** Returns the table port on DynamoDB. The client retries; its token keeps a transaction from being applied twice. */
export function dynamoTable({ client, table, ...retryPorts }: Options): Table {
  return {
    get: <T extends Item>(key: Key) =>
      withTranslatedErrors(async () => {
        if (!isKey(key)) return undefined;
        const input = { TableName: table, Key: keyAttributes(key), ConsistentRead: true };
        const { Item } = await client.send(new GetItemCommand(input));
        return Item && fromAttributes<T>(Item);
      }),

    getMany: <T extends Item>(keys: Key[], { eventual = false }: Freshness = {}) =>
      withTranslatedErrors(async () => {
        const found = new Map<string, T>();
        const requested = new Map(keys.filter(isKey).map((key) => [nameOf(key), keyAttributes(key)]));
        const request = async (Keys: Attributes[]) => {
          const RequestItems = { [table]: { Keys, ConsistentRead: !eventual } };
          const { Responses, UnprocessedKeys } = await client.send(new BatchGetItemCommand({ RequestItems }));
          for (const attributes of Responses?.[table] ?? []) {
            const item = fromAttributes<T>(attributes);
            found.set(nameOf(item), item);
          }
          return UnprocessedKeys?.[table]?.Keys ?? [];
        };
        await Promise.all(
          chunks([...requested.values()], MAX_GETS).map((chunk) => inRounds(retryPorts, chunk, request)),
        );
        return keys.map((key) => found.get(nameOf(key)));
      }),

    query: <T extends Item>(query: Query) =>
      withTranslatedErrors(async (): Promise<Page<T>> => {
        const input = queryInput(table, query);
        if (!input) return { items: [] };
        const { Items = [], LastEvaluatedKey } = await client.send(new QueryCommand(input));
        return { items: Items.map((attributes) => fromAttributes<T>(attributes)), next: LastEvaluatedKey?.sk?.S };
      }),

    putMany: (items) =>
      withTranslatedErrors(async () => {
        for (const item of items) itemText(item);
        // DynamoDB rejects duplicate keys, so only the last item of a key is sent.
        const puts = [...new Map(items.map((item) => [nameOf(item), item])).values()].map((item) => ({
          PutRequest: { Item: toAttributes(item) },
        }));
        const request = async (requests: typeof puts) => {
          const input = { RequestItems: { [table]: requests } };
          const { UnprocessedItems } = await client.send(new BatchWriteItemCommand(input));
          return (UnprocessedItems?.[table] ?? []) as typeof puts;
        };
        await Promise.all(chunks(puts, MAX_PUTS).map((chunk) => inRounds(retryPorts, chunk, request)));
      }),

    transact: (writes) =>
      withTranslatedErrors(async () => {
        const texts = writes.map((write) => ('put' in write ? itemText(write.put) : undefined));
        checkTransaction(writes, texts);
        const [first] = writes;
        return writes.length === 1 && first && !('check' in first)
          ? writeOne(client, table, first)
          : writeAll(client, table, writes);
      }),
  };
}

/** Uses a plain put or delete, at half the price of a transaction. */
async function writeOne(
  client: DynamoDBClient,
  TableName: string,
  write: Exclude<Write, { check: Key }>,
): Promise<WriteOutcome> {
  const condition = { TableName, ...conditionOf(write) };
  try {
    if ('put' in write) await client.send(new PutItemCommand({ ...condition, Item: toAttributes(write.put) }));
    else await client.send(new DeleteItemCommand({ ...condition, Key: keyAttributes(write.delete) }));
    return { ok: true };
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) {
      return { ok: false, failed: [0], present: [presentOf(error.Item)], conflict: false };
    }
    if ((error as Error).name === 'TransactionConflictException') {
      return { ok: false, failed: [], present: [undefined], conflict: true };
    }
    throw error;
  }
}

async function writeAll(client: DynamoDBClient, TableName: string, writes: Write[]): Promise<WriteOutcome> {
  const TransactItems = writes.map((write) => {
    const condition = { TableName, ...conditionOf(write) };
    if ('put' in write) return { Put: { ...condition, Item: toAttributes(write.put) } };
    if ('delete' in write) return { Delete: { ...condition, Key: keyAttributes(write.delete) } };
    const { ConditionExpression, ...more } = { ConditionExpression: '', ...condition };
    return { ConditionCheck: { ...more, ConditionExpression, Key: keyAttributes(write.check) } };
  });
  try {
    await client.send(new TransactWriteItemsCommand({ TransactItems }));
    return { ok: true };
  } catch (error) {
    if (error instanceof TransactionCanceledException) return cancelled(error);
    throw error;
  }
}

function cancelled(error: TransactionCanceledException): WriteOutcome {
  const reasons = error.CancellationReasons ?? [];
  const failed = reasons.flatMap(({ Code }, i) => (Code === 'ConditionalCheckFailed' ? [i] : []));
  const conflict = reasons.some(({ Code }) => Code === 'TransactionConflict');
  if (failed.length === 0 && !conflict) {
    throw reasons.some(({ Code }) => isTemporaryFailure(Code)) ? unavailable(error) : error;
  }
  const present = reasons.map(({ Item }, i) => (failed.includes(i) ? presentOf(Item) : undefined));
  return { ok: false, failed, present, conflict };
}

function conditionOf(write: Write) {
  if (write.if === undefined) return {};
  const returnItem = { ReturnValuesOnConditionCheckFailure: 'ALL_OLD' } as const;
  if (write.if === 'absent') return { ...returnItem, ConditionExpression: 'attribute_not_exists(pk)' };
  const ExpressionAttributeValues = toAttributes({ ':v': write.if.version });
  return { ...returnItem, ConditionExpression: 'v = :v', ExpressionAttributeValues };
}

const presentOf = (found: Attributes | undefined): Item | undefined =>
  found && Object.keys(found).length > 0 ? fromAttributes(found) : undefined;

const keyAttributes = ({ pk, sk }: Key): Attributes => ({ pk: { S: pk }, sk: { S: sk } });

const nameOf = ({ pk, sk }: Key): string => `${pk}\n${sk}`;

async function withTranslatedErrors<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw translate(error);
  }
}
