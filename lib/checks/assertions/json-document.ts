import { isObject } from '#lib/platform/plain-data.ts';
import { shorten } from '#lib/platform/text.ts';
import type { JsonPath } from './json-path.ts';
import type { Scalar } from './operators.ts';

/**
 * Where the values of a JSON text stand, in the order in which they begin; names of members are among them. Of value
 * `i`: the text has it from `starts[i]` to `stops[i]`, and what it holds are the values from `i + 1` to `ends[i]`.
 */
type JsonMarks = { starts: Uint32Array; stops: Uint32Array; ends: Uint32Array };

const [QUOTE, BACKSLASH, COMMA, COLON] = [0x22, 0x5c, 0x2c, 0x3a];
const [LIST, LIST_END, MAP, MAP_END] = [0x5b, 0x5d, 0x7b, 0x7d];
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const ESCAPED = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;
const WORDS = ['true', 'false', 'null'];

/** Characters that are read in one turn of the event loop. */
const CHARACTERS_A_TURN = 128 * 1024;

/**
 * Finds the values of a JSON text (RFC 8259); undefined when it is none. `JSON.parse` takes over 100 ms for a MB of
 * small objects, and many times their size; this makes nothing of them, needs no stack, however deep they are, and lets
 * others have their turn wherever it yields.
 */
function* scanJson(text: string): Generator<void, JsonMarks | undefined> {
  // Each value takes one character, and one more to stand apart from the next.
  const most = (text.length >> 1) + 2;
  const marks = { starts: new Uint32Array(most), stops: new Uint32Array(most), ends: new Uint32Array(most) };
  const { starts, stops, ends } = marks;
  const open: number[] = [];
  let count = 0;
  let at = 0;
  let turned = 0;

  const skipBlanks = () => {
    while (isBlank(text.charCodeAt(at))) at++;
  };
  /** Reads a value that holds no other; whether there is one. */
  const readScalar = (end: number): boolean => {
    if (end < 0) return false;
    starts[count] = at;
    stops[count] = end;
    ends[count] = ++count;
    at = end;
    return true;
  };
  const readName = (): boolean => {
    skipBlanks();
    if (text.charCodeAt(at) !== QUOTE || !readScalar(endOfText(text, at))) return false;
    skipBlanks();
    return text.charCodeAt(at++) === COLON;
  };
  /** Ends what is open. */
  const close = () => {
    const last = open.pop()!;
    stops[last] = ++at;
    ends[last] = count;
  };
  /** Behind a value: whether another one follows, or all is over; undefined when neither. */
  const readOn = (): 'value' | 'over' | undefined => {
    for (;;) {
      skipBlanks();
      const last = open.at(-1);
      if (last === undefined) return at === text.length ? 'over' : undefined;
      const isMap = text.charCodeAt(starts[last]!) === MAP;
      const character = text.charCodeAt(at);
      if (character === COMMA) {
        at++;
        return isMap && !readName() ? undefined : 'value';
      }
      if (character !== (isMap ? MAP_END : LIST_END)) return undefined;
      close();
    }
  };

  for (;;) {
    if (at - turned > CHARACTERS_A_TURN) {
      turned = at;
      yield;
    }
    skipBlanks();
    const character = text.charCodeAt(at);
    if (character === MAP || character === LIST) {
      starts[count] = at++;
      open.push(count++);
      skipBlanks();
      if (text.charCodeAt(at) === (character === MAP ? MAP_END : LIST_END)) close();
      else if (character === LIST || readName()) continue;
      else return undefined;
    } else if (!readScalar(character === QUOTE ? endOfText(text, at) : endOfWord(text, at))) return undefined;
    const next = readOn();
    if (next !== 'value') return next && marks;
  }
}

const isBlank = (character: number): boolean =>
  character === 0x20 || character === 0x0a || character === 0x0d || character === 0x09;

/** Where a text that begins here is over; -1 when it never is. */
function endOfText(json: string, from: number): number {
  for (let at = from + 1; at < json.length; at++) {
    const character = json.charCodeAt(at);
    if (character === QUOTE) return at + 1;
    if (character < 0x20) return -1;
    if (character !== BACKSLASH) continue;
    ESCAPED.lastIndex = at;
    if (!ESCAPED.test(json)) return -1;
    at = ESCAPED.lastIndex - 1;
  }
  return -1;
}

/** Where a number, true, false or null that begins here is over; -1 when there is none. */
function endOfWord(json: string, from: number): number {
  NUMBER.lastIndex = from;
  if (NUMBER.test(json)) return NUMBER.lastIndex;
  const word = WORDS.find((one) => json.startsWith(one, from));
  return word ? from + word.length : -1;
}

/** Of what was found so many characters are shown. */
export const MAX_SHOWN = 100;
/** Of an object and a list so many are looked at for that. */
const LOOKED_AT = 400;

/** A value in a JSON text. `scalar` is absent of objects and lists. */
type JsonValue = {
  /** In words, as `a number`; empty where the value says it. */
  kind: string;
  scalar?: Scalar;
  /** As text of at most 100 characters. */
  preview: string;
};

/** What a path leads to; or how many of its segments lead to something, and what that has: `has name, version`. */
type JsonFound = { value: JsonValue } | { depth: number; content: string };

/**
 * A JSON text. Of a small one everything is made at once, which is quickest; of a large one values are made as they are
 * asked for, by the marks of where they stand. What is told of lists and objects goes by those too.
 */
export class JsonDocument {
  readonly #text: string;
  /** Undefined where it was not made. */
  readonly #root: unknown;
  #known: JsonMarks | undefined;

  private constructor(text: string, root: unknown, marks?: JsonMarks) {
    this.#text = text;
    this.#root = root;
    this.#known = marks;
  }

  /** A small text; undefined when it is no JSON. */
  static parse(text: string): JsonDocument | undefined {
    try {
      return new JsonDocument(text, JSON.parse(text));
    } catch {
      return undefined;
    }
  }

  /** A large text; undefined when it is no JSON. @param turn waits for the next turn of the event loop */
  static async scan(text: string, turn: () => Promise<void>): Promise<JsonDocument | undefined> {
    const scanning = scanJson(text);
    for (;;) {
      const { done, value: marks } = scanning.next();
      if (done) return marks && new JsonDocument(text, undefined, marks);
      await turn();
    }
  }

  get #marks(): JsonMarks {
    if (!this.#known) {
      const scanning = scanJson(this.#text);
      let step = scanning.next();
      while (!step.done) step = scanning.next();
      this.#known = step.value!;
    }
    return this.#known;
  }

  /**
   * The value at a path. Of members of one name the last one counts. A last `length` of a list is the number of its
   * members, of a text that of its characters.
   */
  find(path: JsonPath): JsonFound {
    const scalar = this.#root === undefined ? undefined : scalarAt(this.#root, path);
    return scalar === undefined ? this.#findByMarks(path) : { value: valueOfScalar(scalar) };
  }

  #findByMarks(path: JsonPath): JsonFound {
    let value = 0;
    for (const [depth, segment] of path.entries()) {
      const isLast = depth === path.length - 1;
      const next = typeof segment === 'number' ? this.#place(value, segment) : this.#member(value, segment);
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

  #place(value: number, place: number): number | undefined {
    if (this.#begin(value) !== '[') return undefined;
    const { ends } = this.#marks;
    let left = place < 0 ? this.#count(value) + place : place;
    for (let i = value + 1; i < ends[value]!; i = ends[i]!) if (left-- === 0) return i;
    return undefined;
  }

  #count(value: number): number {
    const { ends } = this.#marks;
    let count = 0;
    for (let i = value + 1; i < ends[value]!; i = ends[i]!) count++;
    return count;
  }

  #member(value: number, name: string): number | undefined {
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
    // With escapes it is longer than what it says.
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
    const raw = this.#text.slice(starts[value], Math.min(stops[value]!, starts[value]! + LOOKED_AT));
    return { kind: begin === '{' ? 'an object' : 'a list', preview: shorten(raw.replaceAll(/\s+/g, ' '), MAX_SHOWN) };
  }

  /** `has name, version` */
  #contentOf(value: number): string {
    const begin = this.#begin(value);
    if (begin === '[') {
      const count = this.#count(value);
      return `has ${count} ${count === 1 ? 'member' : 'members'}`;
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
    if (names.length === 0) return 'has no members';
    return `has ${names.join(', ')}${i < ends[value]! ? ' and more' : ''}`;
  }
}

/** The scalar at a path, or a last `length`; undefined where nothing is, or something else. */
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

/** So many members of an object are named where one is not there, and of each so many characters. */
const MAX_NAMED = 10;
const MAX_NAME = 40;

/** Numbers beyond all bounds are shown as such, of which JSON.stringify makes null. */
const valueOfScalar = (scalar: Scalar): JsonValue => ({
  kind: kindOf(scalar),
  scalar,
  preview: typeof scalar === 'string' ? previewOf(scalar) : String(scalar),
});

/** A text in quotes, cut after 100 characters. */
export const previewOf = (text: string): string => shorten(JSON.stringify(text.slice(0, MAX_SHOWN + 1)), MAX_SHOWN);

/** The kind of a value in words; empty where the value says it. */
export function kindOf(scalar: unknown): string {
  if (typeof scalar === 'string') return 'text';
  return typeof scalar === 'number' ? 'a number' : '';
}

/** An emoji is one, not two (RFC 9535, 2.4.4). */
function characters(text: string): number {
  let count = text.length;
  for (let i = 1; i < text.length; i++) {
    const isPair = (text.charCodeAt(i) & 0xfc00) === 0xdc00 && (text.charCodeAt(i - 1) & 0xfc00) === 0xd800;
    if (isPair) count--;
  }
  return count;
}
