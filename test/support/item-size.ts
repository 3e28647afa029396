import type { toAttributes } from '#lib/aws/dynamodb-table.ts';

/** An item in the format of DynamoDB. */
export type Attributes = ReturnType<typeof toAttributes>;
type AttributeValue = Attributes[string];

/** Overhead of a list or map, and of each of its members (bytes). */
const COLLECTION_BYTES = 3;
const MEMBER_BYTES = 1;

/**
 * Returns the size of an item (bytes) by the published rules of AWS: its names and values. A number has one byte per
 * two digits, not counting zeros at either end, one more byte, and another one if it is negative.
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
  throw new Error(`Unsupported value: ${JSON.stringify(value)}.`);
}

function numberBytes(text: string): number {
  const [mantissa = ''] = text.toLowerCase().split('e');
  const digits = mantissa.replace(/[-.]/g, '').replace(/^0+|0+$/g, '');
  return Math.ceil(digits.length / 2) + 1 + (text.startsWith('-') ? 1 : 0);
}
