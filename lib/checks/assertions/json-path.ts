/** Path to a single value: property names and list indexes from the root. Negative indexes count from the end. */
export type JsonPath = readonly (string | number)[];

const NAME = /[A-Za-z_\u0080-\ud7ff\ue000-\uffff\ud800-\udfff][\w\u0080-\uffff]*/y;
const INDEX = /\[\s*(0|-?[1-9]\d{0,15})\s*\]/y;
const QUOTED = /\[\s*("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')\s*\]/sy;
const BLANK = /[ \t\r\n]*/y;

/** Parses a singular query of RFC 9535 (2.3.5.1): `$.name`, `$['a b']`, `$[-1]`; undefined for any other query. */
export function parsePath(text: string): JsonPath | undefined {
  if (!text.startsWith('$')) return undefined;
  const path: (string | number)[] = [];
  let position = 1;
  const read = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = position;
    const found = pattern.exec(text);
    if (found) position = pattern.lastIndex;
    return found;
  };
  while (position < text.length) {
    read(BLANK);
    if (text[position] === '.') {
      position++;
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

/** Returns the name in a quoted selector (RFC 9535, 2.3.1.1); undefined if it has an invalid escape. */
function unquoted(quoted: string | undefined): string | undefined {
  if (quoted === undefined) return undefined;
  const inner = quoted.slice(1, -1);
  const json = quoted.startsWith("'")
    ? inner.replaceAll(/\\.|"/gs, (match) => IN_SINGLE_QUOTES[match] ?? match)
    : inner;
  try {
    return JSON.parse(`"${json}"`);
  } catch {
    return undefined;
  }
}

/** Replacements from single quotes to JSON. `\"` is invalid in single quotes: it becomes `\x`, which JSON rejects. */
const IN_SINGLE_QUOTES: Readonly<Record<string, string>> = { "\\'": "'", '"': '\\"', '\\"': '\\x' };

const PLAIN_NAME = /^[A-Za-z_\u0080-\ud7ff\ue000-\uffff][\w\u0080-\ud7ff\ue000-\uffff]*$/;

/** Formats a path; `parsePath` reads it back. */
export const printPath = (path: JsonPath): string =>
  `$${path.map((segment) => (typeof segment === 'number' ? `[${segment}]` : PLAIN_NAME.test(segment) ? `.${segment}` : `[${JSON.stringify(segment)}]`)).join('')}`;
