import type { QueryCommandInput } from '@aws-sdk/client-dynamodb';
import type { Query } from '#lib/platform/ports.ts';
import { isPartition } from '#lib/platform/table/item-limits.ts';
import { toAttributes } from './dynamodb-item.ts';

/**
 * A query as DynamoDB asks it, or undefined when nothing can lie in its range: DynamoDB refuses an empty range, and a
 * start outside of the range, which a list's position may well be when its bounds have moved since.
 */
export function queryInput(table: string, query: Query): QueryCommandInput | undefined {
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

type Place = 'below' | 'inside' | 'above';
type Range = { expression: string; values: Record<string, string>; placeOf(sk: string): Place };

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
