import type {
  BatchGetItemCommandInput,
  BatchWriteItemCommandInput,
  QueryCommandInput,
  TransactWriteItemsCommandInput,
} from '@aws-sdk/client-dynamodb';
import { readBatch, readOne, readRange } from './dynamo-reads.ts';
import { type Answer, type OnInsert, writeBatch, writeOne, writeTransaction } from './dynamo-writes.ts';
import type { ItemStore } from './item-store.ts';

/**
 * Simulates DynamoDB as used by the adapter, in memory, with the capacity of each request.
 * `capacity.test.ts` compares it with other implementations of DynamoDB.
 * @param onInsert called with each new item
 */
export function dynamoAnswers(store: ItemStore, onInsert: OnInsert): (operation: string, input: object) => Answer {
  const answer = (operation: string, input: never): Answer => {
    switch (operation) {
      case 'GetItem':
        return readOne(store, input);
      case 'BatchGetItem': {
        const [[table, { Keys, ConsistentRead }]] = only((input as BatchGetItemCommandInput).RequestItems);
        return readBatch(store, table, Keys!, ConsistentRead === true);
      }
      case 'Query':
        return readRange(store, input as QueryCommandInput);
      case 'PutItem':
      case 'DeleteItem':
        return writeOne(store, input, onInsert);
      case 'BatchWriteItem': {
        const [[, requests]] = only((input as BatchWriteItemCommandInput).RequestItems);
        return writeBatch(
          store,
          requests.map(({ PutRequest }) => PutRequest!.Item!),
          onInsert,
        );
      }
      case 'TransactWriteItems':
        return writeTransaction(store, (input as TransactWriteItemsCommandInput).TransactItems!, onInsert);
      default:
        throw new Error(`The table operation ${operation} is not supported.`);
    }
  };
  return (operation, input) => {
    const { status, body, capacity } = answer(operation, input as never);
    if (status !== 200 || !('ReturnConsumedCapacity' in input)) return { status, body, capacity };
    const CapacityUnits = capacity.reads + capacity.writes;
    // An operation that can name several tables returns a list.
    const isMany = /^(Batch|Transact)/.test(operation);
    return { status, body: { ...body, ConsumedCapacity: isMany ? [{ CapacityUnits }] : { CapacityUnits } }, capacity };
  };
}

/** Returns the only table, because the service has one. */
function only<T>(tables: Record<string, T> | undefined): [[string, T]] {
  const [first, ...more] = Object.entries(tables ?? {});
  if (!first || more.length > 0) throw new Error('A request must have one table.');
  return [first];
}
