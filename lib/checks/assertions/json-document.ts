import { isObject } from '#lib/platform/plain-data.ts';
import type { CpuJob } from '#lib/platform/sharing/cpu-budget.ts';
import { shorten } from '#lib/platform/text.ts';
import type { JsonPath } from './json-path.ts';
import type { Scalar } from './operators.ts';

/** JSON values and names: value `i` is the text [`starts[i]`, `stops[i]`) and contains values [`i + 1`, `ends[i]`). */
type JsonMarks = { starts: Uint32Array; stops: Uint32Array; ends: Uint32Array };

const [QUOTE, BACKSLASH, COMMA, COLON] = [0x22, 0x5c, 0x2c, 0x3a];
const [LIST, LIST_END, MAP, MAP_END] = [0x5b, 0x5d, 0x7b, 0x7d];
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const ESCAPED = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;
const WORDS = ['true', 'false', 'null'];

/**
 * Scans a JSON text (RFC 8259); returns undefined if it is not valid. `JSON.parse` takes over 100 ms for 1 MB of small
 * objects, and many times their memory. This creates no objects, and does not recurse.
 */
function scanJson(text: string): JsonMarks | undefined {
  // A value takes at least one character and a separator.
  const maxValues = (text.length >> 1) + 2;
  const marks = {
    starts: new Uint32Array(maxValues),
    stops: new Uint32Array(maxValues),
    ends: new Uint32Array(maxValues),
  };
  const { starts, stops, ends } = marks;
  const open: number[] = [];
  let count = 0;
  let position = 0;

  const skipBlanks = () => {
    while (isBlank(text.charCodeAt(position))) position++;
  };
  /** Reads a scalar or name up to `end`. Returns whether it is valid; it is not if `end` is negative. */
  const readScalar = (end: number): boolean => {
    if (end < 0) return false;
    starts[count] = position;
    stops[count] = end;
    ends[count] = ++count;
    position = end;
    return true;
  };
  const readName = (): boolean => {
    skipBlanks();
    if (text.charCodeAt(position) !== QUOTE || !readScalar(endOfString(text, position))) return false;
    skipBlanks();
    return text.charCodeAt(position++) === COLON;
  };
  const close = () => {
    const last = open.pop()!;
    stops[last] = ++position;
    ends[last] = count;
  };
  /** Reads up to the next value or the end of the text; undefined if the text is not valid. */
  const readNext = (): 'value' | 'over' | undefined => {
    for (;;) {
      skipBlanks();
      const last = open.at(-1);
      if (last === undefined) return position === text.length ? 'over' : undefined;
      const isMap = text.charCodeAt(starts[last]!) === MAP;
      const character = text.charCodeAt(position);
      if (character === COMMA) {
        position++;
        return isMap && !readName() ? undefined : 'value';
      }
      if (character !== (isMap ? MAP_END : LIST_END)) return undefined;
      close();
    }
  };

  for (;;) {
    skipBlanks();
    const character = text.charCodeAt(position);
    if (character === MAP || character === LIST) {
      starts[count] = position++;
      open.push(count++);
      skipBlanks();
      if (text.charCodeAt(position) === (character === MAP ? MAP_END : LIST_END)) close();
      else if (character === LIST || readName()) continue;
      else return undefined;
    } else if (!readScalar(character === QUOTE ? endOfString(text, position) : endOfWord(text, position)))
      return undefined;
    const next = readNext();
    if (next !== 'value') return next && marks;
  }
}

const isBlank = (character: number): boolean =>
  character === 0x20 || character === 0x0a || character === 0x0d || character === 0x09;

function endOfString(json: string, from: number): number {
  for (let position = from + 1; position < json.length; position++) {
    const character = json.charCodeAt(position);
    if (character === QUOTE) return position + 1;
    if (character < 0x20) return -1;
    if (character !== BACKSLASH) continue;
    ESCAPED.lastIndex = position;
    if (!ESCAPED.test(json)) return -1;
    position = ESCAPED.lastIndex - 1;
  }
  return -1;
}

function endOfWord(json: string, from: number): number {
  NUMBER.lastIndex = from;
  if (NUMBER.test(json)) return NUMBER.lastIndex;
  const word = WORDS.find((literal) => json.startsWith(literal, from));
  return word ? from + word.length : -1;
}

/** Maximum number of characters shown of a found value. */
export const MAX_SHOWN = 100;
const MAX_PREVIEWED = 400;

/** A value in a JSON text. `scalar` is absent for objects and lists. */
type JsonValue = {
  kind: string;
  scalar?: Scalar;
  preview: string;
};

/** Value at a path; else the number of resolved segments and a description of the last value: `has name, version`. */
export type JsonFound = { value: JsonValue } | { depth: number; content: string };

/** Returns the value at each path of a large JSON text; undefined if it is not valid. */
export const jsonJob: CpuJob<{ text: string; paths: JsonPath[] }, JsonFound[] | undefined> = {
  name: 'json',
  load:
    async () =>
    ({ text, paths }) => {
      const document = JsonDocument.scan(text);
      return document && paths.map((path) => document.find(path));
    },
};

/** A JSON text. `parse` is fastest for a small one. `scan` locates the values of a large one, to parse on demand. */
export class JsonDocument {
  readonly #text: string;
  readonly #root: unknown;
  #cachedMarks: JsonMarks | undefined;

  private constructor(text: string, root: unknown, marks?: JsonMarks) {
    this.#text = text;
    this.#root = root;
    this.#cachedMarks = marks;
  }

  static parse(text: string): JsonDocument | undefined {
    try {
      return new JsonDocument(text, JSON.parse(text));
    } catch {
      return undefined;
    }
  }

  static scan(text: string): JsonDocument | undefined {
    const marks = scanJson(text);
    return marks && new JsonDocument(text, undefined, marks);
  }

  get #marks(): JsonMarks {
    this.#cachedMarks ??= scanJson(this.#text)!;
    return this.#cachedMarks;
  }

  /** Returns the value at a path; of duplicate names, the last counts. A final `length` counts items or characters. */
  find(path: JsonPath): JsonFound {
    const scalar = this.#root === undefined ? undefined : scalarAt(this.#root, path);
    return scalar === undefined ? this.#findByMarks(path) : { value: valueOfScalar(scalar) };
  }

  #findByMarks(path: JsonPath): JsonFound {
    let value = 0;
    for (const [depth, segment] of path.entries()) {
      const isLast = depth === path.length - 1;
      const next = typeof segment === 'number' ? this.#item(value, segment) : this.#property(value, segment);
      if (next !== undefined) value = next;
      else {
        const length = isLast && segment === 'length' ? this.#length(value) : undefined;
        if (length === undefined) return { depth, content: this.#contentOf(value) };
        return { value: valueOfScalar(length) };
      }
    }
    return { value: this.#valueAt(value) };
  }

  #begin(value: number): string {
    return this.#text[this.#marks.starts[value]!]!;
  }

  #scalar(value: number): Scalar {
    return JSON.parse(this.#text.slice(this.#marks.starts[value], this.#marks.stops[value]));
  }

  #item(value: number, index: number): number | undefined {
    if (this.#begin(value) !== '[') return undefined;
    const { ends } = this.#marks;
    let left = index < 0 ? this.#count(value) + index : index;
    for (let i = value + 1; i < ends[value]!; i = ends[i]!) if (left-- === 0) return i;
    return undefined;
  }

  #count(value: number): number {
    const { ends } = this.#marks;
    let count = 0;
    for (let i = value + 1; i < ends[value]!; i = ends[i]!) count++;
    return count;
  }

  #property(value: number, name: string): number | undefined {
    if (this.#begin(value) !== '{') return undefined;
    const { ends } = this.#marks;
    let found: number | undefined;
    for (let i = value + 1; i < ends[value]!; i = ends[i + 1]!) if (this.#isName(i, name)) found = i + 1;
    return found;
  }

  #isName(value: number, name: string): boolean {
    const { starts, stops } = this.#marks;
    const from = starts[value]! + 1;
    const length = stops[value]! - 1 - from;
    if (length === name.length && this.#text.startsWith(name, from)) return !name.includes('\\');
    // A name with escapes is longer in the text than decoded.
    return length > name.length && this.#text.slice(from, from + length).includes('\\') && this.#scalar(value) === name;
  }

  #length(value: number): number | undefined {
    if (this.#begin(value) === '[') return this.#count(value);
    return this.#begin(value) === '"' ? characters(String(this.#scalar(value))) : undefined;
  }

  #valueAt(value: number): JsonValue {
    const begin = this.#begin(value);
    if (begin !== '{' && begin !== '[') return valueOfScalar(this.#scalar(value));
    const { starts, stops } = this.#marks;
    const raw = this.#text.slice(starts[value], Math.min(stops[value]!, starts[value]! + MAX_PREVIEWED));
    return { kind: begin === '{' ? 'an object' : 'a list', preview: shorten(raw.replaceAll(/\s+/g, ' '), MAX_SHOWN) };
  }

  #contentOf(value: number): string {
    const begin = this.#begin(value);
    if (begin === '[') {
      const count = this.#count(value);
      return `has ${count} ${count === 1 ? 'item' : 'items'}`;
    }
    if (begin !== '{') {
      const { kind, preview } = valueOfScalar(this.#scalar(value));
      return `is ${kind || preview}`;
    }
    const { ends } = this.#marks;
    const names: string[] = [];
    let i = value + 1;
    for (; i < ends[value]! && names.length < MAX_NAMED; i = ends[i + 1]!) {
      names.push(shorten(String(this.#scalar(i)), MAX_NAME));
    }
    if (names.length === 0) return 'has no properties';
    return `has ${names.join(', ')}${i < ends[value]! ? ' and more' : ''}`;
  }
}

/** Returns the scalar at a path, or a final `length`; undefined if there is no scalar. */
function scalarAt(root: unknown, path: JsonPath): Scalar | undefined {
  let value = root;
  for (const [depth, segment] of path.entries()) {
    let next: unknown;
    if (typeof segment === 'number') next = Array.isArray(value) ? value.at(segment) : undefined;
    else if (isObject(value)) next = Object.hasOwn(value, segment) ? value[segment] : undefined;
    else if (segment === 'length' && depth === path.length - 1) next = lengthOf(value);
    if (next === undefined) return undefined;
    value = next;
  }
  return typeof value === 'object' && value !== null ? undefined : (value as Scalar);
}

function lengthOf(value: unknown): number | undefined {
  if (Array.isArray(value)) return value.length;
  return typeof value === 'string' ? characters(value) : undefined;
}

const MAX_NAMED = 10;
const MAX_NAME = 40;

/** Describes a scalar. Infinite numbers are shown as such; JSON.stringify would turn them into null. */
const valueOfScalar = (scalar: Scalar): JsonValue => ({
  kind: kindOf(scalar),
  scalar,
  preview: typeof scalar === 'string' ? previewOf(scalar) : String(scalar),
});

/** Returns a text in quotes, cut after 100 characters. */
export const previewOf = (text: string): string => shorten(JSON.stringify(text.slice(0, MAX_SHOWN + 1)), MAX_SHOWN);

/** Returns the readable kind of a value; empty if the value itself shows it. */
export function kindOf(scalar: unknown): string {
  if (typeof scalar === 'string') return 'text';
  return typeof scalar === 'number' ? 'a number' : '';
}

/** Counts characters; an emoji is one (RFC 9535, 2.4.4). */
function characters(text: string): number {
  let count = text.length;
  for (let i = 1; i < text.length; i++) {
    const isPair = (text.charCodeAt(i) & 0xfc00) === 0xdc00 && (text.charCodeAt(i - 1) & 0xfc00) === 0xd800;
    if (isPair) count--;
  }
  return count;
}
