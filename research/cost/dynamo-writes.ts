import type { TransactWriteItem } from '@aws-sdk/client-dynamodb';
import { type Capacity, TRANSACTION, writeUnits } from '#test/support/capacity.ts';
import { type Attributes, itemBytes } from '#test/support/item-size.ts';
import { addressOf, type ItemStore } from './item-store.ts';

/** Response of a request, and its capacity. */
export type Answer = { status: number; body: object; capacity: Capacity };

type Conditional = { ConditionExpression?: string | undefined; ExpressionAttributeValues?: Attributes | undefined };
type Put = Conditional & { Item: Attributes };
type Delete = Conditional & { Key: Attributes };

const PREFIX = 'com.amazonaws.dynamodb.v20120810';
const ABSENT = 'attribute_not_exists(pk)';
const SAME_VERSION = 'v = :v';

/** Called with each new item, which the stream of the table would contain as INSERT. */
export type OnInsert = (item: Attributes) => void;

export const writeCapacity = (writes: number): Capacity => ({ reads: 0, writes });

/** Whether the condition of a write is true. Supports the two conditions of the adapter. */
function holds(store: ItemStore, key: Attributes, { ConditionExpression, ExpressionAttributeValues }: Conditional) {
  if (ConditionExpression === undefined) return true;
  const item = store.get(addressOf(key))?.item;
  if (ConditionExpression === ABSENT) return item === undefined;
  if (ConditionExpression === SAME_VERSION) return item?.v?.S === ExpressionAttributeValues?.[':v']?.S && !!item;
  throw new Error(`The condition ${ConditionExpression} is not supported.`);
}

/** Returns the units of a write with a true condition; a transaction multiplies them. */
const priceOf = (store: ItemStore, key: Attributes, after?: Attributes): number =>
  writeUnits(store.get(addressOf(key))?.bytes ?? 0, after ? itemBytes(after) : 0);

function put(store: ItemStore, item: Attributes, onInsert: OnInsert): void {
  const isNew = store.get(addressOf(item)) === undefined;
  store.put(item);
  if (isNew) onInsert(item);
}

/** Simulates PutItem and DeleteItem. */
export function writeOne(store: ItemStore, write: Put | Delete, onInsert: OnInsert): Answer {
  const item = 'Item' in write ? write.Item : undefined;
  const key = 'Item' in write ? write.Item : write.Key;
  if (!holds(store, key, write)) {
    const present = store.get(addressOf(key));
    const Item = present?.item;
    const body = { __type: `${PREFIX}#ConditionalCheckFailedException`, message: 'The condition failed.', Item };
    return { status: 400, body, capacity: writeCapacity(writeUnits(present?.bytes ?? 0, 0)) };
  }
  const capacity = writeCapacity(priceOf(store, key, item));
  if (item) put(store, item, onInsert);
  else store.delete(addressOf(key));
  return { status: 200, body: {}, capacity };
}

/** Simulates BatchWriteItem: a number of puts. */
export function writeBatch(store: ItemStore, items: Attributes[], onInsert: OnInsert): Answer {
  const capacity = writeCapacity(items.reduce((sum, item) => sum + priceOf(store, item, item), 0));
  for (const item of items) put(store, item, onInsert);
  return { status: 200, body: { UnprocessedItems: {} }, capacity };
}

/** Simulates TransactWriteItems; a canceled one costs as much as a committed one. */
export function writeTransaction(store: ItemStore, writes: TransactWriteItem[], onInsert: OnInsert): Answer {
  const parts = writes.map(({ Put: one, Delete, ConditionCheck }) => {
    const conditional = one ?? Delete ?? ConditionCheck;
    if (!conditional) throw new Error('A transaction must contain puts, deletes and conditions.');
    const key = one ? one.Item! : (Delete ?? ConditionCheck)!.Key!;
    return { conditional, key, item: one?.Item, gone: Delete !== undefined };
  });
  const price = parts.reduce((sum, { key, item }) => sum + TRANSACTION * priceOf(store, key, item), 0);
  const failed = parts.map(({ conditional, key }) => !holds(store, key, conditional));
  if (failed.includes(true)) {
    const CancellationReasons = parts.map(({ key }, i) =>
      failed[i] ? { Code: 'ConditionalCheckFailed', Item: store.get(addressOf(key))?.item } : { Code: 'None' },
    );
    const body = { __type: `${PREFIX}#TransactionCanceledException`, Message: 'Cancelled.', CancellationReasons };
    return { status: 400, body, capacity: writeCapacity(price) };
  }
  for (const { key, item, gone } of parts) {
    if (item) put(store, item, onInsert);
    else if (gone) store.delete(addressOf(key));
  }
  return { status: 200, body: {}, capacity: writeCapacity(price) };
}
