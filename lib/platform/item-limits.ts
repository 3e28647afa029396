import { AppError } from './errors.ts';
import type { Item, Key, Write } from './ports.ts';

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
/** 38 digits of 9 and e125; no double lies between it and this. */
const TOO_LARGE = 1e126;
const SMALLEST = 1e-130;

/** What one page of a query holds at most. */
export const PAGE_BYTES = 1024 * 1024;

/** No item with shorter JSON reaches 400 KB: a character is 3 bytes at most, of a small number twice that. */
const SURELY_SMALL = ITEM_BYTES / 6;

const PRINTABLE_ASCII = /^[\x20-\x7e]+$/;

/** Whether an item can stand under this key. A read of one that cannot finds nothing. */
export const isKey = (key: Key): boolean => isPartition(key.pk) && isSortKey(key.sk);

export const isPartition = (pk: string): boolean => pk.length <= PK_BYTES && PRINTABLE_ASCII.test(pk);

const isSortKey = (sk: string): boolean => sk.length <= SK_BYTES && PRINTABLE_ASCII.test(sk);

export const keyOf = (write: Write): Key =>
  'put' in write ? write.put : 'delete' in write ? write.delete : write.check;

/**
 * An item as JSON text, judged by every limit of one item.
 * @throws AppError PAYLOAD_TOO_LARGE over 400 KB, VALIDATION_ERROR for a number out of range or nesting over 32 levels;
 *   Error for a bad key and for what is not JSON (undefined, NaN, functions, dates)
 */
export function itemText(item: Item): string {
  mustBeKey(item);
  mustBeJson(item, '', 0);
  const text = JSON.stringify(item);
  if (text.length > SURELY_SMALL && itemBytes(item) > ITEM_BYTES) {
    throw new AppError('PAYLOAD_TOO_LARGE', 'The record would take more than 400 KB. Make it smaller or split it.');
  }
  return text;
}

/**
 * Judges the shape of a transaction; its items are judged by `itemText`.
 * @param texts of the puts among the writes
 */
export function checkTransaction(writes: Write[], texts: (string | undefined)[]): void {
  if (writes.length < 1 || writes.length > TRANSACTION_WRITES) {
    throw new Error(`A transaction has 1 to ${TRANSACTION_WRITES} writes; this one has ${writes.length}.`);
  }
  if (writes.length === 1) {
    if (!('put' in writes[0]!)) mustBeKey(keyOf(writes[0]!));
    return;
  }
  const seen = new Set<string>();
  let length = 0;
  for (const [i, write] of writes.entries()) {
    const key = keyOf(write);
    if (!('put' in write)) mustBeKey(key);
    const name = `${key.pk}\n${key.sk}`;
    if (seen.has(name)) throw new Error(`A transaction touches ${key.pk} / ${key.sk} twice.`);
    seen.add(name);
    length += texts[i]?.length ?? 0;
  }
  if (length <= TRANSACTION_BYTES / 6) return;
  const bytes = writes.reduce((sum, write) => sum + ('put' in write ? itemBytes(write.put) : 0), 0);
  if (bytes > TRANSACTION_BYTES) {
    throw new AppError('PAYLOAD_TOO_LARGE', 'The change would take more than 4 MB at once. Make it in smaller steps.');
  }
}

/** The size of an item as DynamoDB counts it. */
const itemBytes = (item: Item): number =>
  Object.entries(item).reduce((sum, [name, value]) => sum + Buffer.byteLength(name) + valueBytes(value), 0);

function valueBytes(value: unknown): number {
  if (typeof value === 'string') return Buffer.byteLength(value);
  if (typeof value === 'number') return numberBytes(value);
  if (Array.isArray(value)) return value.reduce((sum: number, one) => sum + 1 + valueBytes(one), 3);
  if (typeof value === 'object' && value !== null) {
    return Object.entries(value).reduce((sum, [name, one]) => sum + 1 + Buffer.byteLength(name) + valueBytes(one), 3);
  }
  return 1;
}

/** Two digits a byte, one byte beside, one more when negative. */
function numberBytes(value: number): number {
  const digits = value.toExponential().replace(/e.*$/, '').replace(/[-.]/g, '').length;
  return Math.ceil(digits / 2) + 1 + (value < 0 ? 1 : 0);
}

function mustBeKey(key: Key): void {
  if (isKey(key)) return;
  throw new Error(
    `A key is printable ASCII, not empty, pk at most ${PK_BYTES} and sk at most ${SK_BYTES} bytes: ` +
      `${JSON.stringify(key.pk)} / ${JSON.stringify(key.sk)}.`,
  );
}

function mustBeJson(value: unknown, path: string, depth: number): void {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return;
    case 'number':
      mustBeInRange(value, path);
      return;
    case 'object':
      if (value !== null) mustBeContainer(value, path, depth);
      return;
    default:
      throw new Error(`An item holds JSON only; ${path || 'it'} is ${typeof value}.`);
  }
}

function mustBeInRange(value: number, path: string): void {
  if (value === 0) return;
  if (!Number.isFinite(value)) throw new Error(`An item holds JSON only; ${path} is ${value}.`);
  const size = Math.abs(value);
  if (size >= SMALLEST && size < TOO_LARGE) return;
  throw new AppError('VALIDATION_ERROR', `${path}: numbers go from 1e-130 to 9.9e125`, {
    details: [{ path, message: 'numbers go from 1e-130 to 9.9e125' }],
  });
}

function mustBeContainer(value: object, path: string, depth: number): void {
  if (depth > DEPTH) {
    throw new AppError('VALIDATION_ERROR', `${path}: nested more than ${DEPTH} levels deep`, {
      details: [{ path, message: `nested more than ${DEPTH} levels deep` }],
    });
  }
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) mustBeJson(value[i], `${path}.${i}`, depth + 1);
    return;
  }
  const prototype = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) {
    throw new Error(`An item holds JSON only; ${path || 'it'} is a ${value.constructor?.name}.`);
  }
  for (const name of Object.keys(value)) {
    const at = path === '' ? name : `${path}.${name}`;
    if (name === '') {
      throw new AppError('VALIDATION_ERROR', `${at}: a name must not be empty`, {
        details: [{ path: at, message: 'a name must not be empty' }],
      });
    }
    mustBeJson((value as Record<string, unknown>)[name], at, depth + 1);
  }
}
