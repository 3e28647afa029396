import type { QueryCommandInput } from '@aws-sdk/client-dynamodb';
import { readUnits } from '#test/support/capacity.ts';
import type { Attributes } from '#test/support/item-size.ts';
import type { Answer } from './dynamo-writes.ts';
import { addressOf, type ItemStore, positionOf } from './item-store.ts';

const PAGE_BYTES = 1024 * 1024;

export function readOne(
  store: ItemStore,
  { Key, ConsistentRead }: { Key: Attributes; ConsistentRead: boolean },
): Answer {
  const found = store.get(addressOf(Key));
  const reads = readUnits(found?.bytes ?? 0, ConsistentRead);
  return { status: 200, body: { Item: found?.item }, capacity: { reads, writes: 0 } };
}

/** Simulates BatchGetItem: each item is rounded up separately. */
export function readBatch(store: ItemStore, table: string, keys: Attributes[], strong: boolean): Answer {
  const found = keys.map((key) => store.get(addressOf(key)));
  const reads = found.reduce((sum, one) => sum + readUnits(one?.bytes ?? 0, strong), 0);
  const items = found.flatMap((one) => (one ? [one.item] : []));
  const body = { Responses: { [table]: items }, UnprocessedKeys: {} };
  return { status: 200, body, capacity: { reads, writes: 0 } };
}

/** Lowest requested sort key, and whether a key is above the highest. */
type Bounds = { from: string; isBeyond(sk: string): boolean };

/** Parses the key conditions of the adapter (lib/aws/dynamodb-table.ts). */
function boundsOf(expression: string, values: Attributes): Bounds {
  const text = (name: string) => values[name]!.S!;
  switch (expression) {
    case 'pk = :pk':
      return { from: '', isBeyond: () => false };
    case 'pk = :pk AND sk BETWEEN :from AND :to':
      return { from: text(':from'), isBeyond: (sk) => sk > text(':to') };
    case 'pk = :pk AND sk >= :from':
      return { from: text(':from'), isBeyond: () => false };
    case 'pk = :pk AND sk <= :to':
      return { from: '', isBeyond: (sk) => sk > text(':to') };
    default:
      throw new Error(`The range ${expression} is not supported.`);
  }
}

/** Simulates Query: read bytes are summed, then rounded up. A page ends at its limit or at a megabyte. */
export function readRange(store: ItemStore, input: QueryCommandInput): Answer {
  const values = input.ExpressionAttributeValues!;
  const pk = values[':pk']!.S!;
  const { from, isBeyond } = boundsOf(input.KeyConditionExpression!, values);
  const start = input.ExclusiveStartKey?.sk?.S;
  const forward = input.ScanIndexForward !== false;
  const order = store.sortKeys(pk);
  const low = positionOf(order, from);
  let high = low;
  while (high < order.length && !isBeyond(order[high]!)) high++;
  const inside = order.slice(low, high);
  const wanted = (forward ? inside : inside.reverse()).filter(
    (sk) => start === undefined || (forward ? sk > start : sk < start),
  );

  const Items: Attributes[] = [];
  let bytes = 0;
  for (const sk of wanted) {
    if (Items.length === input.Limit || bytes >= PAGE_BYTES) break;
    const stored = store.get({ pk, sk })!;
    Items.push(stored.item);
    bytes += stored.bytes;
  }
  const last = wanted[Items.length - 1];
  const isFull = Items.length === input.Limit || Items.length < wanted.length;
  const LastEvaluatedKey = isFull && last !== undefined ? { pk: { S: pk }, sk: { S: last } } : undefined;
  const capacity = { reads: readUnits(bytes, input.ConsistentRead === true), writes: 0 };
  return { status: 200, body: { Items, Count: Items.length, LastEvaluatedKey }, capacity };
}
