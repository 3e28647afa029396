/**
 * The ways in which a text can be read once the escapes and encodings in it are undone. Pure, and linear in the length
 * of the text: all readings together are bounded.
 */

/** Character `i` of `text` was made of the characters `from[i]` to `to[i]` (not included) of the text that is read. */
export type Reading = { text: string; from: number[]; to: number[] };

/** Layers that are taken off: a secret in JSON in JSON in base64 has three. */
const MAX_LAYERS = 4;
/** All readings together, in lengths of the text: those of few layers come first. */
const MAX_GROWTH = 32;
const SMALL_TEXT = 1000;

/** The text as it stands, and in every way in which escapes, base64 and hex in it can be undone. */
export function* readingsOf(text: string): Generator<Reading> {
  let left = MAX_GROWTH * text.length + SMALL_TEXT;
  let layer: Reading[] = [asItStands(text)];
  for (let layers = 0; layer.length > 0; layers++) {
    const next: Reading[] = [];
    for (const reading of layer) {
      yield reading;
      if (layers === MAX_LAYERS || left <= 0) continue;
      for (const inner of withoutLayer(reading)) {
        left -= inner.text.length;
        next.push(inner);
      }
    }
    layer = next;
  }
}

/** A text without its escapes, as often as there are any, at most `MAX_LAYERS` times: `a%2526b`, `a%26b`, `a&b`. */
export function withoutEscapes(text: string): string[] {
  const found = [text];
  for (let layers = 0; layers < MAX_LAYERS; layers++) {
    const plain = found.at(-1)!.replace(ESCAPE, (written) => meant(written) ?? written);
    if (plain === found.at(-1)) break;
    found.push(plain);
  }
  return found;
}

function asItStands(text: string): Reading {
  const from = Array.from({ length: text.length }, (_, i) => i);
  return { text, from, to: from.map((i) => i + 1) };
}

function withoutLayer(reading: Reading): Reading[] {
  const { text } = reading;
  return [
    ...ESCAPES.flatMap(({ whole, part }) => {
      const end = text.search(part);
      // What is cut off in the middle of an escape still ends with what stands before it.
      return [unescaped(reading, whole, text.length), end >= 0 ? unescaped(reading, whole, end) : undefined];
    }),
    ...BASE64_OFFSETS.map((offset) => decoded(reading, BASE64, 6, sixBits, offset)),
    ...HEX_OFFSETS.map((offset) => decoded(reading, HEX, 4, fourBits, offset)),
  ].filter((one) => one !== undefined);
}

/** Escapes, and what is left of one at the end of a text that was cut off. */
const ESCAPES = [
  // JSON
  { whole: /\\(?:u[\da-f]{4}|["\\/bfnrt])/gi, part: /\\(?:u[\da-f]{0,3})?$/i },
  // Percent-encoding of UTF-8 or Latin-1
  {
    whole: /%[c-f][\da-f](?:%[89ab][\da-f]){1,3}|%[\da-f]{2}/gi,
    part: /(?:(?:%[89a-f][\da-f]){1,3}%?[\da-f]?|%[\da-f]?)$/i,
  },
  // HTML
  { whole: /&(?:#\d{1,7}|#x[\da-f]{1,6}|[a-z]{2,6});/gi, part: /&#?[\da-z]{0,7}$/i },
];
const ESCAPE = new RegExp(ESCAPES.map(({ whole }) => whole.source).join('|'), 'gi');

const JSON_LETTERS: Record<string, string> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' };
const HTML_NAMES: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: '\u00a0' };

/** The characters that an escape stands for; undefined when for none. */
function meant(written: string): string | undefined {
  if (written.startsWith('%')) {
    const bytes = Buffer.from(written.replaceAll('%', ''), 'hex');
    const text = bytes.toString('utf8');
    return text.includes('\ufffd') ? bytes.toString('latin1') : text;
  }
  if (written.startsWith('&#')) {
    const code =
      written[2]?.toLowerCase() === 'x' ? Number.parseInt(written.slice(3), 16) : Number(written.slice(2, -1));
    return code <= 0x10ffff ? String.fromCodePoint(code) : undefined;
  }
  if (written.startsWith('&')) return HTML_NAMES[written.slice(1, -1).toLowerCase()];
  if (written.length > 2) return String.fromCharCode(Number.parseInt(written.slice(2), 16));
  const letter = written[1]!;
  return JSON_LETTERS[letter.toLowerCase()] ?? letter;
}

/** The first `end` characters of a reading without one layer of escapes; undefined when it stays as it is. */
function unescaped({ text, from, to }: Reading, escapes: RegExp, end: number): Reading | undefined {
  const parts: string[] = [];
  const made: Reading = { text: '', from: [], to: [] };
  let done = 0;
  const keep = (upTo: number) => {
    parts.push(text.slice(done, upTo));
    for (let i = done; i < upTo; i++) {
      made.from.push(from[i]!);
      made.to.push(to[i]!);
    }
  };
  for (const { 0: written, index } of text.slice(0, end).matchAll(escapes)) {
    const characters = meant(written);
    if (characters === undefined) continue;
    keep(index);
    done = index + written.length;
    parts.push(characters);
    for (let i = 0; i < characters.length; i++) {
      made.from.push(from[index]!);
      made.to.push(to[done - 1]!);
    }
  }
  if (done === 0 && end === text.length) return undefined;
  keep(end);
  return { ...made, text: parts.join('') };
}

/** Runs that hold four bytes at least; base64 in either alphabet, also when it is broken over lines. */
const BASE64 = /[\w+/-]{6,}(?:\r?\n[\w+/-]+)*/g;
const HEX = /[\da-f]{8,}/gi;
/** Where in a run the first byte may begin, as others may have written something before it. */
const BASE64_OFFSETS = [0, 1, 2, 3];
const HEX_OFFSETS = [0, 1];

/** The bytes (as Latin-1) that runs of digits stand for, with a line break between runs; undefined without any. */
function decoded(
  { text, from, to }: Reading,
  runs: RegExp,
  bitsOfDigit: number,
  digit: (code: number) => number,
  offset: number,
): Reading | undefined {
  const codes: number[] = [];
  const made: Reading = { text: '', from: [], to: [] };
  const push = (code: number, first: number, last: number) => {
    codes.push(code);
    made.from.push(from[first]!);
    made.to.push(to[last]!);
  };
  for (const { 0: run, index } of text.matchAll(runs)) {
    if (codes.length > 0) push(0x0a, index, index);
    let [held, bits, before] = [0, 0, index];
    for (let i = index + offset; i < index + run.length; i++) {
      const value = digit(text.charCodeAt(i));
      if (value < 0) continue; // A line break.
      held = ((held << bitsOfDigit) | value) & 0xfff;
      bits += bitsOfDigit;
      if (bits >= 8) {
        bits -= 8;
        push((held >> bits) & 0xff, before, i);
      }
      before = i;
    }
  }
  return codes.length === 0 ? undefined : { ...made, text: Buffer.from(codes).toString('latin1') };
}

const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const sixBitsOf = Array.from({ length: 128 }, (_, code) =>
  DIGITS.indexOf(String.fromCharCode(code).replace('-', '+').replace('_', '/')),
);
const sixBits = (code: number): number => sixBitsOf[code] ?? -1;
const fourBits = (code: number): number => Number.parseInt(String.fromCharCode(code), 16);
