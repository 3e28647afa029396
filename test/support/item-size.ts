import type { toAttributes } from '#lib/aws/dynamodb-table.ts';

/** An item as DynamoDB holds it. */
export type Attributes = ReturnType<typeof toAttributes>;
type AttributeValue = Attributes[string];

/** What a list, a map and each of their members takes beside what it holds (bytes). */
const COLLECTION_BYTES = 3;
const MEMBER_BYTES = 1;

/**
 * The size of an item (bytes) by the rules that AWS publishes: names and values; two digits of a number in a byte, one
 * byte around them, zeros at either end left out.
 */
export const itemBytes = (item: Attributes): number =>
  Object.entries(item).reduce((sum, [name, value]) => sum + Buffer.byteLength(name) + valueBytes(value), 0);

function valueBytes(value: AttributeValue): number {
  if (value.S !== undefined) return Buffer.byteLength(value.S);
  if (value.N !== undefined) return numberBytes(value.N);
  if (value.L !== undefined) {
    return value.L.reduce((sum, one) => sum + MEMBER_BYTES + valueBytes(one), COLLECTION_BYTES);
  }
  if (value.M !== undefined) {
    return COLLECTION_BYTES + itemBytes(value.M) + MEMBER_BYTES * Object.keys(value.M).length;
  }
  if (value.BOOL !== undefined || value.NULL !== undefined) return 1;
  throw new Error(`No item of ours holds ${JSON.stringify(value)}.`);
}

function numberBytes(text: string): number {
  const [mantissa = ''] = text.toLowerCase().split('e');
  const digits = mantissa.replace(/[-.]/g, '').replace(/^0+|0+$/g, '');
  return Math.ceil(digits.length / 2) + 1 + (text.startsWith('-') ? 1 : 0);
}
