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
import { inRounds, isThrottle, type Pauses, translate, unavailable } from './in-rounds.ts';

/** An item or a key as DynamoDB writes it. */
type Attributes = Record<string, AttributeValue>;

/** Doubles go out and come back as they are: 17 digits, where DynamoDB keeps 38. */
export const toAttributes = (item: object): Attributes => marshall(item, { allowImpreciseNumbers: true });

const fromAttributes = <T extends Item>(attributes: Attributes): T =>
  unmarshall(attributes, { wrapNumbers: Number }) as T;

/**
 * A query as DynamoDB asks it, or undefined when nothing can lie in its range: DynamoDB refuses an empty range, and a
 * start outside of the range, which a list's position may well be when its bounds have moved since.
 */
function queryInput(table: string, query: Query): QueryCommandInput | undefined {
  const { partition, descending = false, limit, after } = query;
  if (limit !== undefined && !(Number.isInteger(limit) && limit >= 1)) {
    throw new Error(`A page has at least one item; the limit was ${limit}.`);
  }
  const range = rangeOf(query);
  if (!range || !isPartition(partition)) return undefined;
  const place = after === undefined ? undefined : range.placeOf(after);
  if (place === (descending ? 'below' : 'above')) return undefined;
  return {
    TableName: table,
    KeyConditionExpression: `pk = :pk${range.expression}`,
    ExpressionAttributeValues: toAttributes({ ':pk': partition, ...range.values }),
    ScanIndexForward: !descending,
    ConsistentRead: !query.eventual,
    ...(limit !== undefined && { Limit: limit }),
    ...(place === 'inside' && { ExclusiveStartKey: toAttributes({ pk: partition, sk: after }) }),
  };
}

type KeyPosition = 'below' | 'inside' | 'above';
type Range = { expression: string; values: Record<string, string>; placeOf(sk: string): KeyPosition };

function rangeOf({ from, to }: Query): Range | undefined {
  if (to !== undefined && to < (from || ' ')) return undefined;
  const placeOf = (sk: string) => (from && sk < from ? 'below' : to !== undefined && sk > to ? 'above' : 'inside');
  if (from && to !== undefined) {
    return { expression: ' AND sk BETWEEN :from AND :to', values: { ':from': from, ':to': to }, placeOf };
  }
  if (from) return { expression: ' AND sk >= :from', values: { ':from': from }, placeOf };
  if (to !== undefined) return { expression: ' AND sk <= :to', values: { ':to': to }, placeOf };
  return { expression: '', values: {}, placeOf };
}

/** What one request takes at most (BatchGetItem, BatchWriteItem). */
const GETS = 100;
const PUTS = 25;

type Options = Pauses & { client: DynamoDBClient; table: string };

/** The table port on DynamoDB. Its client retries by itself; a transaction is then still done once (its token). */
export function dynamoTable({ client, table, ...pauses }: Options): Table {
  return {
    get: <T extends Item>(key: Key) =>
      translated(async () => {
        if (!isKey(key)) return undefined;
        const input = { TableName: table, Key: keyAttributes(key), ConsistentRead: true };
        const { Item } = await client.send(new GetItemCommand(input));
        return Item && fromAttributes<T>(Item);
      }),

    getMany: <T extends Item>(keys: Key[], { eventual = false }: Freshness = {}) =>
      translated(async () => {
        const found = new Map<string, T>();
        const wanted = new Map(keys.filter(isKey).map((key) => [nameOf(key), keyAttributes(key)]));
        const ask = async (Keys: Attributes[]) => {
          const RequestItems = { [table]: { Keys, ConsistentRead: !eventual } };
          const { Responses, UnprocessedKeys } = await client.send(new BatchGetItemCommand({ RequestItems }));
          for (const one of Responses?.[table] ?? []) {
            const item = fromAttributes<T>(one);
            found.set(nameOf(item), item);
          }
          return UnprocessedKeys?.[table]?.Keys ?? [];
        };
        await Promise.all(chunks([...wanted.values()], GETS).map((chunk) => inRounds(pauses, chunk, ask)));
        return keys.map((key) => found.get(nameOf(key)));
      }),

    query: <T extends Item>(query: Query) =>
      translated(async (): Promise<Page<T>> => {
        const input = queryInput(table, query);
        if (!input) return { items: [] };
        const { Items = [], LastEvaluatedKey } = await client.send(new QueryCommand(input));
        return { items: Items.map((one) => fromAttributes<T>(one)), next: LastEvaluatedKey?.sk?.S };
      }),

    putMany: (items) =>
      translated(async () => {
        for (const item of items) itemText(item);
        // The last of one key is the one that stays; DynamoDB refuses both.
        const puts = [...new Map(items.map((item) => [nameOf(item), item])).values()].map((item) => ({
          PutRequest: { Item: toAttributes(item) },
        }));
        const ask = async (requests: typeof puts) => {
          const input = { RequestItems: { [table]: requests } };
          const { UnprocessedItems } = await client.send(new BatchWriteItemCommand(input));
          return (UnprocessedItems?.[table] ?? []) as typeof puts;
        };
        await Promise.all(chunks(puts, PUTS).map((chunk) => inRounds(pauses, chunk, ask)));
      }),

    transact: (writes) =>
      translated(async () => {
        const texts = writes.map((write) => ('put' in write ? itemText(write.put) : undefined));
        checkTransaction(writes, texts);
        const [first] = writes;
        return writes.length === 1 && first && !('check' in first)
          ? writeOne(client, table, first)
          : writeAll(client, table, writes);
      }),
  };
}

/** A plain put or delete: half the price of a transaction. */
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

/** One reason for each write, in their order. */
function cancelled(error: TransactionCanceledException): WriteOutcome {
  const reasons = error.CancellationReasons ?? [];
  const failed = reasons.flatMap(({ Code }, i) => (Code === 'ConditionalCheckFailed' ? [i] : []));
  const conflict = reasons.some(({ Code }) => Code === 'TransactionConflict');
  if (failed.length === 0 && !conflict) {
    throw reasons.some(({ Code }) => isThrottle(Code)) ? unavailable(error) : error;
  }
  // The SDK gives items inside of errors as they came over the wire.
  const present = reasons.map(({ Item }, i) => (failed.includes(i) ? presentOf(Item) : undefined));
  return { ok: false, failed, present, conflict };
}

function conditionOf(write: Write) {
  if (write.if === undefined) return {};
  const shown = { ReturnValuesOnConditionCheckFailure: 'ALL_OLD' } as const;
  if (write.if === 'absent') return { ...shown, ConditionExpression: 'attribute_not_exists(pk)' };
  const ExpressionAttributeValues = toAttributes({ ':v': write.if.version });
  return { ...shown, ConditionExpression: 'v = :v', ExpressionAttributeValues };
}

const presentOf = (found: Attributes | undefined): Item | undefined =>
  found && Object.keys(found).length > 0 ? fromAttributes(found) : undefined;

const keyAttributes = ({ pk, sk }: Key): Attributes => ({ pk: { S: pk }, sk: { S: sk } });

const nameOf = ({ pk, sk }: Key): string => `${pk}\n${sk}`;

async function translated<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw translate(error);
  }
}
