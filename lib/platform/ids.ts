import { createHash, randomBytes } from 'node:crypto';
import type { Clock, Ids } from './ports.ts';

const BASE32 = '0123456789abcdefghjkmnpqrstvwxyz';
const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** Encodes a whole number in `length` characters that sort like numbers. */
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

const timeChars = (ms: number): string => toBase32(ms, 10);

/** Returns the time (epoch ms) in an id. */
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

/** Formats sixteen random bytes as a UUID of version 4 (RFC 9562, 5.4). */
function uuidOf(random: Uint8Array): string {
  const bytes = Buffer.from(random);
  bytes[6] = (bytes[6]! & 0x0f) | 0x40;
  bytes[8] = (bytes[8]! & 0x3f) | 0x80;
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}

/** Returns an id derived from its parts, so that repeated work gets the same id. @param at sort time, epoch ms */
export function derivedId(prefix: string, at: number, ...parts: (string | number)[]): string {
  const digest = createHash('sha256').update(parts.join('\n')).digest();
  return `${prefix}_${timeChars(at)}${base32(digest.subarray(0, 16))}`;
}

/** Returns a text that sorts after the ids of the prefix created before `at` (epoch ms), and before its other ids. */
export const idFloor = (prefix: string, at: number): string => `${prefix}_${timeChars(at)}`;

/** Whether a text from a request can be an id; other text must not reach a table key or a message. */
export const isId = (prefix: string, text: string): boolean =>
  text.startsWith(`${prefix}_`) && /^[a-z]{3}_[0-9a-z]{1,60}$/.test(text);

/** Returns a number from 0 to 2^32 - 1 that is the same on every machine. */
export const hash32 = (text: string): number => createHash('sha256').update(text).digest().readUInt32BE(0);

const BUFFER_BYTES = 4096;

/** Returns a source of random bytes, drawn in bulk: a draw costs the same for any size, and each push needs some. */
function randomSource(): (count: number) => Uint8Array {
  let buffer = Buffer.alloc(0);
  let used = 0;
  return (count) => {
    if (used + count > buffer.length) {
      buffer = randomBytes(BUFFER_BYTES);
      used = 0;
    }
    used += count;
    return buffer.subarray(used - count, used);
  };
}

/** Returns a source of id tails: random, then incremented within a millisecond to sort by creation (as in ULID). */
function tails(bytes: (count: number) => Uint8Array): (ms: number) => string {
  let last = new Uint8Array(16);
  let lastMs = -1;
  return (ms) => {
    if (ms !== lastMs) {
      lastMs = ms;
      last = Uint8Array.from(bytes(16), (byte) => byte & 31);
    } else {
      for (let i = 15; i >= 0; i--) {
        last[i] = (last[i]! + 1) & 31;
        if (last[i] !== 0) break;
      }
    }
    return base32(last);
  };
}

/** Creates a source of ids. @param bytes source of random bytes, up to 32 at a time; a simulation passes its own */
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
