import * as z from 'zod';

/**
 * Bounds on the shape of what a request holds, checked before anything is made of it: a hundred thousand small members
 * cost far more to parse, and far more again to complain of one by one, than their bytes did to read.
 */

/** No body within its other limits comes near. */
const MAX_VALUES = 10_000;
const MAX_DEPTH = 64;

const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c];
const [LIST, LIST_END, MAP, MAP_END] = [0x5b, 0x5d, 0x7b, 0x7d];

/**
 * What is too much about a text of JSON, as a sentence without its subject; undefined when nothing is. Counts brackets
 * and commas outside of texts, and takes what is no JSON as it comes.
 */
export function excessOf(json: Uint8Array): string | undefined {
  let values = 1;
  let depth = 0;
  for (let i = 0; i < json.length; i++) {
    const byte = json[i];
    if (byte === QUOTE) {
      for (i++; i < json.length && json[i] !== QUOTE; i++) if (json[i] === BACKSLASH) i++;
    } else if (byte === COMMA) values++;
    else if (byte === LIST || byte === MAP) {
      values++;
      if (++depth > MAX_DEPTH) return `is nested more than ${MAX_DEPTH} levels deep; flatten it`;
    } else if (byte === LIST_END || byte === MAP_END) depth--;
    if (values > MAX_VALUES) return `holds more than ${MAX_VALUES} values; send fewer at a time`;
  }
  return undefined;
}

/**
 * A list or map whose length is checked before any of its members is, so that one that is far too long has one fault
 * and not one a member.
 */
export const atMost = <Schema extends z.ZodType>(most: number, schema: Schema, message: string) =>
  z.preprocess((value, context) => {
    if (sizeOf(value) <= most) return value;
    context.addIssue({ code: 'custom', message });
    return z.NEVER;
  }, schema);

const sizeOf = (value: unknown): number =>
  Array.isArray(value) ? value.length : typeof value === 'object' && value !== null ? Object.keys(value).length : 0;
