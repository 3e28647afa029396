/** A path to one value: names of members and places in lists, from the root on; a negative place counts from the end. */
export type JsonPath = readonly (string | number)[];

const NAME = /[A-Za-z_\u0080-\ud7ff\ue000-\uffff\ud800-\udfff][\w\u0080-\uffff]*/y;
const INDEX = /\[\s*(0|-?[1-9]\d{0,15})\s*\]/y;
const QUOTED = /\[\s*("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')\s*\]/sy;
const BLANK = /[ \t\r\n]*/y;

/**
 * Reads a singular query of RFC 9535 (2.3.5.1): `$`, `.name`, `['a b']`, `[0]`, `[-1]`. Undefined when it is none: with
 * `*`, `..`, `?`, slices or several names it leads to more than one value.
 */
export function parsePath(text: string): JsonPath | undefined {
  if (!text.startsWith('$')) return undefined;
  const path: (string | number)[] = [];
  let at = 1;
  const read = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = at;
    const found = pattern.exec(text);
    if (found) at = pattern.lastIndex;
    return found;
  };
  while (at < text.length) {
    read(BLANK);
    if (text[at] === '.') {
      at++;
      const name = read(NAME);
      if (!name) return undefined;
      path.push(name[0]);
      continue;
    }
    const index = read(INDEX);
    const segment = index ? Number(index[1]) : unquoted(read(QUOTED)?.[1]);
    if (segment === undefined || (typeof segment === 'number' && !Number.isSafeInteger(segment))) return undefined;
    path.push(segment);
  }
  return path;
}

/** The name in a quoted selector (RFC 9535, 2.3.1.1); undefined when its escapes are none of JSON's. */
function unquoted(quoted: string | undefined): string | undefined {
  if (quoted === undefined) return undefined;
  const inner = quoted.slice(1, -1);
  const json = quoted.startsWith("'") ? inner.replaceAll(/\\.|"/gs, (one) => IN_SINGLE_QUOTES[one] ?? one) : inner;
  try {
    return JSON.parse(`"${json}"`);
  } catch {
    return undefined;
  }
}

/** What is escaped differently between single quotes than in JSON; `\"` is no escape there. */
const IN_SINGLE_QUOTES: Readonly<Record<string, string>> = { "\\'": "'", '"': '\\"', '\\"': '\\x' };

const PLAIN = /^[A-Za-z_\u0080-\ud7ff\ue000-\uffff][\w\u0080-\ud7ff\ue000-\uffff]*$/;

/** The path as it is shown; `parsePath` reads it back. */
export const printPath = (path: JsonPath): string =>
  `$${path.map((segment) => (typeof segment === 'number' ? `[${segment}]` : PLAIN.test(segment) ? `.${segment}` : `[${JSON.stringify(segment)}]`)).join('')}`;

/**
 * The value at a path; undefined where there is none. `depth` says how many segments lead to something, and `last` is
 * what they lead to. A last `length` of a list is the number of its members, of a text that of its characters.
 */
export function valueAt(root: unknown, path: JsonPath): { value: unknown } | { depth: number; last: unknown } {
  let last = root;
  for (const [depth, segment] of path.entries()) {
    const next = stepInto(last, segment, depth === path.length - 1);
    if (next === undefined) return { depth, last };
    last = next;
  }
  return { value: last };
}

function stepInto(value: unknown, segment: string | number, isLast: boolean): unknown {
  if (typeof segment === 'number') return Array.isArray(value) ? value.at(segment) : undefined;
  if (segment === 'length' && isLast && Array.isArray(value)) return value.length;
  if (segment === 'length' && isLast && typeof value === 'string') return characters(value);
  const isMap = typeof value === 'object' && value !== null && !Array.isArray(value);
  return isMap && Object.hasOwn(value, segment) ? (value as Record<string, unknown>)[segment] : undefined;
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
