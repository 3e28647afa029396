import { AppError, invalid } from '#lib/platform/errors.ts';
import type { Item, Key, Write } from '#lib/platform/ports.ts';

/**
 * DynamoDB's limits, in one place, so that every table adapter answers alike. What a caller's own data may break is an
 * AppError; what only our code can break is a plain Error.
 * Source: "Service, account, and table quotas in Amazon DynamoDB", and "Item sizes and formats".
 */
const ITEM_BYTES = 400 * 1024;
const TRANSACTION_BYTES = 4 * 1024 * 1024;
const TRANSACTION_WRITES = 100;
const PK_BYTES = 2048;
const SK_BYTES = 1024;
const DEPTH = 32;
/** What one page of a query holds at most. */
export const PAGE_BYTES = 1024 * 1024;

/** Whether DynamoDB keeps a number: 38 digits of 9 and e125 at most; no double lies between that and 1e126. */
export const isStorable = (number: number): boolean =>
  number === 0 || (Math.abs(number) >= 1e-130 && Math.abs(number) < 1e126);

const PRINTABLE_ASCII = /^[\x20-\x7e]+$/;

/** Whether an item can stand under this key. A read of one that cannot finds nothing. */
export const isKey = (key: Key): boolean => isPartition(key.pk) && isSortKey(key.sk);

export const isPartition = (pk: string): boolean => pk.length <= PK_BYTES && PRINTABLE_ASCII.test(pk);

const isSortKey = (sk: string): boolean => sk.length <= SK_BYTES && PRINTABLE_ASCII.test(sk);

export const keyOf = (write: Write): Key =>
  'put' in write ? write.put : 'delete' in write ? write.delete : write.check;

/**
 * An item as JSON text, held to every limit of one item.
 * @throws AppError PAYLOAD_TOO_LARGE over 400 KB, VALIDATION_ERROR for a number out of range or nesting over 32 levels;
 *   Error for a bad key and for what is not JSON (undefined, NaN, functions)
 */
export function itemText(item: Item): string {
  assertKey(item);
  const text = JSON.stringify(item);
  if (mostBytes(item, text) > ITEM_BYTES) {
    throw new AppError('PAYLOAD_TOO_LARGE', 'The record would take more than 400 KB. Make it smaller or split it.');
  }
  return text;
}

/**
 * Checks the shape of a transaction; its items are checked by `itemText`.
 * @param texts of the puts among the writes
 */
export function checkTransaction(writes: Write[], texts: (string | undefined)[]): void {
  if (writes.length < 1 || writes.length > TRANSACTION_WRITES) {
    throw new Error(`A transaction has 1 to ${TRANSACTION_WRITES} writes; this one has ${writes.length}.`);
  }
  if (writes.length === 1) {
    if (!('put' in writes[0]!)) assertKey(keyOf(writes[0]!));
    return;
  }
  const seen = new Set<string>();
  let bytes = 0;
  for (const [i, write] of writes.entries()) {
    const key = keyOf(write);
    if (!('put' in write)) assertKey(key);
    const name = `${key.pk}\n${key.sk}`;
    if (seen.has(name)) throw new Error(`A transaction touches ${key.pk} / ${key.sk} twice.`);
    seen.add(name);
    bytes += Buffer.byteLength(texts[i] ?? '');
  }
  // DynamoDB counts at most twice as many bytes as there are of JSON.
  if (bytes <= TRANSACTION_BYTES / 2) return;
  const most = writes.reduce((sum, write, i) => sum + ('put' in write ? mostBytes(write.put, texts[i]!) : 0), 0);
  if (most > TRANSACTION_BYTES) {
    throw new AppError('PAYLOAD_TOO_LARGE', 'The change would take more than 4 MB at once. Make it in smaller steps.');
  }
}

function assertKey(key: Key): void {
  if (isKey(key)) return;
  throw new Error(
    `A key is printable ASCII, not empty, pk at most ${PK_BYTES} and sk at most ${SK_BYTES} bytes: ` +
      `${JSON.stringify(key.pk)} / ${JSON.stringify(key.sk)}.`,
  );
}

/**
 * DynamoDB counts no more than the bytes of an item's JSON and two a value: one for a digit that stands alone or for an
 * entry of a list, two for brackets.
 */
const mostBytes = (item: Item, text: string): number => Buffer.byteLength(text) + 2 * countValues(item, '', 0);

/** How many values there are in one that a table can hold; throws for one that it cannot. */
function countValues(value: unknown, path: string, depth: number): number {
  if (typeof value === 'string' || typeof value === 'boolean' || value === null) return 1;
  if (typeof value === 'number' && Number.isFinite(value)) {
    if (isStorable(value)) return 1;
    throw invalid(path, 'numbers go from 1e-130 to 9.9e125');
  }
  if (typeof value !== 'object') throw new Error(`An item holds JSON only; ${path} is ${String(value)}.`);
  if (depth > DEPTH) throw invalid(path, `nested more than ${DEPTH} levels deep`);
  let values = 1;
  for (const [name, one] of Object.entries(value)) {
    const at = path === '' ? name : `${path}.${name}`;
    if (name === '') throw invalid(at, 'a name must not be empty');
    values += countValues(one, at, depth + 1);
  }
  return values;
}
