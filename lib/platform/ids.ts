import { createHash, randomBytes } from 'node:crypto';
import type { Clock, Ids } from './ports.ts';

const BASE32 = '0123456789abcdefghjkmnpqrstvwxyz';
const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** A whole number in so many characters, which sort as numbers do. */
export function toBase32(number: number, length: number): string {
  let text = '';
  for (let rest = number, i = 0; i < length; i++, rest = Math.floor(rest / 32)) text = BASE32[rest % 32] + text;
  return text;
}

export const fromBase32 = (text: string): number => {
  let number = 0;
  for (const char of text) number = number * 32 + BASE32.indexOf(char);
  return number;
};

/** Ten characters that sort like the time, good until the year 10889. */
const timeChars = (ms: number): string => toBase32(ms, 10);

/** The time (epoch ms) that an id was made at, or sorts by. */
export const timeOf = (id: string): number => fromBase32(id.slice(id.indexOf('_') + 1).slice(0, 10));

function base32(bytes: Uint8Array): string {
  let text = '';
  for (const byte of bytes) text += BASE32[byte & 31];
  return text;
}

function base62(bytes: Uint8Array): string {
  let rest = BigInt(`0x${Buffer.from(bytes).toString('hex')}`);
  let text = '';
  while (text.length < 43) {
    text = BASE62[Number(rest % 62n)] + text;
    rest /= 62n;
  }
  return text;
}

/** Sixteen random bytes as a UUID of version 4 (RFC 9562, 5.4). */
function uuidOf(random: Uint8Array): string {
  const bytes = Buffer.from(random);
  bytes[6] = (bytes[6]! & 0x0f) | 0x40;
  bytes[8] = (bytes[8]! & 0x3f) | 0x80;
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}

/**
 * An id that follows from its parts, so that making a thing twice makes the same thing.
 * @param at epoch ms that it sorts by
 */
export function derivedId(prefix: string, at: number, ...parts: (string | number)[]): string {
  const digest = createHash('sha256').update(parts.join('\n')).digest();
  return `${prefix}_${timeChars(at)}${base32(digest.subarray(0, 16))}`;
}

/** Sorts before every id of that prefix made at `at` (epoch ms) or later, and behind every earlier one. */
export const idFloor = (prefix: string, at: number): string => `${prefix}_${timeChars(at)}`;

/** Whether a text of a request may be an id; anything else never reaches a key of the table or a message. */
export const isId = (prefix: string, text: string): boolean =>
  text.startsWith(`${prefix}_`) && /^[a-z]{3}_[0-9a-z]{1,60}$/.test(text);

/** A number from 0 to 2^32 - 1 that is the same on every machine. */
export const hash32 = (text: string): number => createHash('sha256').update(text).digest().readUInt32BE(0);

const DRAWN = 4096;

/** Random bytes, drawn many at a time: a draw costs as much as all that is in it, and each push takes some. */
function randomSource(): (count: number) => Uint8Array {
  let drawn = Buffer.alloc(0);
  let from = 0;
  return (count) => {
    if (from + count > drawn.length) {
      drawn = randomBytes(DRAWN);
      from = 0;
    }
    from += count;
    return drawn.subarray(from - count, from);
  };
}

/**
 * What tells ids of one millisecond apart: random for the first, one more for each that follows, so that those of one
 * process sort as they were made (ULID, monotonicity).
 */
function tails(bytes: (count: number) => Uint8Array): (ms: number) => string {
  let last = new Uint8Array(16);
  let lastMs = -1;
  return (ms) => {
    if (ms !== lastMs) {
      lastMs = ms;
      last = Uint8Array.from(bytes(16), (byte) => byte & 31);
    } else {
      for (let place = 15; place >= 0; place--) {
        last[place] = (last[place]! + 1) & 31;
        if (last[place] !== 0) break;
      }
    }
    return base32(last);
  };
}

/** @param bytes a source of random bytes, 32 at most at a time; a simulation gives its own. */
export function makeIds(clock: Pick<Clock, 'now'>, bytes: (count: number) => Uint8Array = randomSource()): Ids {
  const tail = tails(bytes);
  const id = (prefix: string): string => {
    const ms = clock.now();
    return `${prefix}_${timeChars(ms)}${tail(ms)}`;
  };
  return {
    id,
    token: () => base32(bytes(12)),
    random: () => Buffer.from(bytes(4)).readUInt32BE(0) / 2 ** 32,
    secret: () => base62(bytes(32)),
    uuid: () => uuidOf(bytes(16)),
    shortSecret: () => Buffer.from(bytes(16)).toString('base64url'),
  };
}
