import * as z from 'zod';

// Limits are checked before parsing: a hundred thousand small values cost far more to parse and report than to read.

/** Maximum number of values and depth of nesting; a body within its other limits has far fewer. */
const MAX_VALUES = 10_000;
const MAX_DEPTH = 64;

const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c];
const [LIST, LIST_END, MAP, MAP_END] = [0x5b, 0x5d, 0x7b, 0x7d];

/** Returns how JSON exceeds the limits, such as "is nested …"; undefined if it does not. Does not validate the JSON. */
export function sizeProblem(json: Uint8Array): string | undefined {
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
    if (values > MAX_VALUES) return `has more than ${MAX_VALUES} values; send fewer at a time`;
  }
  return undefined;
}

/** Returns a schema that checks the size before the items, so that an oversized value is a single error. */
export const atMost = <Schema extends z.ZodType>(maxSize: number, schema: Schema, message: string) =>
  z.preprocess((value, context) => {
    if (sizeOf(value) <= maxSize) return value;
    context.addIssue({ code: 'custom', message });
    return z.NEVER;
  }, schema);

const sizeOf = (value: unknown): number =>
  Array.isArray(value) ? value.length : typeof value === 'object' && value !== null ? Object.keys(value).length : 0;
