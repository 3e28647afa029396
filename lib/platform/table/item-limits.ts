import { AppError, invalid } from '#lib/platform/errors.ts';
import type { Item, Key, Write } from '#lib/platform/ports.ts';

/**
 * DynamoDB's limits ("Service, account, and table quotas in Amazon DynamoDB", "Item sizes and formats") for all
 * adapters. Over a limit, data of a caller causes an AppError; a mistake of the service itself, a plain Error.
 */
const ITEM_BYTES = 400 * 1024;
const TRANSACTION_BYTES = 4 * 1024 * 1024;
const TRANSACTION_WRITES = 100;
const PK_BYTES = 2048;
const SK_BYTES = 1024;
const DEPTH = 32;
/** Maximum bytes of a query page. */
export const PAGE_BYTES = 1024 * 1024;

/** Whether DynamoDB can store a number: its maximum is 9.99…e125, and the next double is 1e126. */
export const isStorable = (number: number): boolean =>
  number === 0 || (Math.abs(number) >= 1e-130 && Math.abs(number) < 1e126);

const PRINTABLE_ASCII = /^[\x20-\x7e]+$/;

/** Whether an item can have this key. Reading an invalid key finds nothing. */
export const isKey = (key: Key): boolean => isPartition(key.pk) && isSortKey(key.sk);

export const isPartition = (pk: string): boolean => pk.length <= PK_BYTES && PRINTABLE_ASCII.test(pk);

const isSortKey = (sk: string): boolean => sk.length <= SK_BYTES && PRINTABLE_ASCII.test(sk);

export const keyOf = (write: Write): Key =>
  'put' in write ? write.put : 'delete' in write ? write.delete : write.check;

/**
 * Serializes an item. Throws PAYLOAD_TOO_LARGE over 400 KB, VALIDATION_ERROR for a number out of range or nesting over
 * 32 levels, and an Error for an invalid key or a value that is not JSON (undefined, NaN, function).
 */
export function itemText(item: Item): string {
  assertKey(item);
  const text = JSON.stringify(item);
  if (maxBytesOf(item, text) > ITEM_BYTES) {
    throw new AppError('PAYLOAD_TOO_LARGE', 'The record exceeds 400 KB. Shorten or split it.');
  }
  return text;
}

/** Checks the size and keys of a transaction. @param texts serialized items of the puts, by write index */
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
  // DynamoDB counts at most twice the bytes of the JSON.
  if (bytes <= TRANSACTION_BYTES / 2) return;
  const maxBytes = writes.reduce((sum, write, i) => sum + ('put' in write ? maxBytesOf(write.put, texts[i]!) : 0), 0);
  if (maxBytes > TRANSACTION_BYTES) {
    throw new AppError('PAYLOAD_TOO_LARGE', 'The change exceeds 4 MB. Split it into smaller changes.');
  }
}

function assertKey(key: Key): void {
  if (isKey(key)) return;
  throw new Error(
    `A key is printable ASCII, not empty, pk at most ${PK_BYTES} and sk at most ${SK_BYTES} bytes: ` +
      `${JSON.stringify(key.pk)} / ${JSON.stringify(key.sk)}.`,
  );
}

/** Upper bound of the bytes that DynamoDB counts: JSON plus two per value (overhead of numbers, lists and maps). */
const maxBytesOf = (item: Item, text: string): number => Buffer.byteLength(text) + 2 * countValues(item, '', 0);

function countValues(value: unknown, path: string, depth: number): number {
  if (typeof value === 'string' || typeof value === 'boolean' || value === null) return 1;
  if (typeof value === 'number' && Number.isFinite(value)) {
    if (isStorable(value)) return 1;
    throw invalid(path, 'must be a number from 1e-130 to 9.9e125');
  }
  if (typeof value !== 'object') throw new Error(`An item holds JSON only; ${path} is ${String(value)}.`);
  if (depth > DEPTH) throw invalid(path, `is nested more than ${DEPTH} levels deep; flatten it`);
  let values = 1;
  for (const [name, member] of Object.entries(value)) {
    const at = path === '' ? name : `${path}.${name}`;
    if (name === '') throw invalid(at, 'must not have an empty name');
    values += countValues(member, at, depth + 1);
  }
  return values;
}
