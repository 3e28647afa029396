/** A path to one value: names of members and places in lists, from the root on. Negative ones count from the end. */
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
