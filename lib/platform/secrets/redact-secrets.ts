import { REDACTED } from './kept-secrets.ts';

/**
 * The ways in which a text can be read once the escapes and encodings in it are undone. Pure, and linear in the length
 * of the text: all readings together are bounded.
 */

/** Character `i` of `text` was made of the characters `from[i]` to `to[i]` (not included) of the text that is read. */
type Decoding = { text: string; from: number[]; to: number[] };

/** Layers that are taken off: a secret in JSON in JSON in base64 has three. */
const MAX_LAYERS = 4;
/** All readings together, in lengths of the text: those of few layers come first. */
const MAX_GROWTH = 32;
const SMALL_TEXT = 1000;

/** The text as it stands, and in every way in which escapes, base64 and hex in it can be undone. */
export function* decodingsOf(text: string): Generator<Decoding> {
  let left = MAX_GROWTH * text.length + SMALL_TEXT;
  let layer: Decoding[] = [asItStands(text)];
  for (let layers = 0; layer.length > 0; layers++) {
    const next: Decoding[] = [];
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
function withoutEscapes(text: string): string[] {
  const found = [text];
  for (let layers = 0; layers < MAX_LAYERS; layers++) {
    const plain = found.at(-1)!.replace(ESCAPE, (written) => meant(written) ?? written);
    if (plain === found.at(-1)) break;
    found.push(plain);
  }
  return found;
}

function asItStands(text: string): Decoding {
  const from = Array.from({ length: text.length }, (_, i) => i);
  return { text, from, to: from.map((i) => i + 1) };
}

function withoutLayer(reading: Decoding): Decoding[] {
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
function unescaped({ text, from, to }: Decoding, escapes: RegExp, end: number): Decoding | undefined {
  const parts: string[] = [];
  const made: Decoding = { text: '', from: [], to: [] };
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
  { text, from, to }: Decoding,
  runs: RegExp,
  bitsOfDigit: number,
  digit: (code: number) => number,
  offset: number,
): Decoding | undefined {
  const codes: number[] = [];
  const made: Decoding = { text: '', from: [], to: [] };
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

/** A text without the secrets that it was made for. @param isCut it may end in the middle of one */
export type Redact = (text: string, isCut?: boolean) => string;

/** So many characters of a secret in a row are found wherever they stand; a shorter secret is found as a whole. */
const FRAGMENT = 16;
/** Fewer characters are no secret, and would riddle a text. */
const MIN_LENGTH = 3;
/** Shorter ones are found only where no letter or digit touches them: `prod`, but not in `product`. */
const STANDS_IN_WORDS = 8;
/** Only so many first characters of a longer secret are looked for: bounds the time of a search. */
const MAX_SEARCHED = 4096;
/** At the end of a text that was cut off there, so many first characters of a secret are found. */
const MIN_START = 4;

/**
 * Makes what takes secrets out of a text that others wrote (an answer, an error, a log line), also where it holds half
 * of one, or has it in another case, with escapes of JSON, URLs or HTML, in base64 or in hex, or in several of these
 * at once. Takes time in proportion to the secrets and to the text.
 */
export function redactorOf(secrets: Iterable<string>): Redact {
  const forms = [...secrets].flatMap((one) => formsOf(one.slice(0, MAX_SEARCHED)));
  // Before there are any tables for them: most checks have no secrets.
  if (!forms.some(({ length }) => length >= MIN_LENGTH)) return (text) => text;
  const wanted = wantedOf(new Set(forms));
  return (text, isCut = text.endsWith('…')) => {
    const marks = new Uint8Array(text.length);
    for (const reading of decodingsOf(text)) {
      markPieces(reading, wanted, marks);
      if (isCut) markStart(reading, wanted, marks);
    }
    return masked(text, marks);
  };
}

/**
 * Pieces of secrets to look for: texts by their length, in lower case. `begins` has a bit for each length of a piece
 * that begins with three characters of that hash: most places of a text begin none.
 */
type Wanted = { pieces: Set<string>[]; lengths: number[]; begins: Uint32Array; starts: Set<string> };

/** @param forms of secrets (`formsOf`) */
function wantedOf(forms: ReadonlySet<string>): Wanted {
  const pieces: Set<string>[] = [];
  const begins = new Uint32Array(HASHES);
  const starts = new Set<string>();
  for (const secret of forms) {
    const length = Math.min(secret.length, FRAGMENT);
    if (length < MIN_LENGTH) continue;
    pieces[length] ??= new Set();
    for (let i = 0; i + length <= secret.length; i++) {
      pieces[length].add(secret.slice(i, i + length));
      begins[hashAt(secret, i)]! |= 1 << length;
    }
    for (let end = MIN_START; end < length; end++) starts.add(secret.slice(0, end));
  }
  return { pieces, lengths: Object.keys(pieces).map(Number), begins, starts };
}

/** A secret, also as it reads without escapes of its own, and its UTF-8 as the bytes that base64 holds. */
const formsOf = (secret: string): string[] =>
  withoutEscapes(secret).flatMap((text) => [folded(text), folded(Buffer.from(text, 'utf8').toString('latin1'))]);

/** In lower case, with as many characters; in a form a + is a space. */
const folded = (text: string): string =>
  text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase()).replaceAll('+', ' ');

const HASHES = 1 << 14;
/** Of the three characters at `i`. */
const hashAt = (text: string, i: number): number =>
  (text.charCodeAt(i) * 961 + text.charCodeAt(i + 1) * 31 + text.charCodeAt(i + 2)) % HASHES;

/** Marks the characters of a text that are part of a secret in one reading of it. */
function markPieces(reading: Decoding, { pieces, lengths, begins }: Wanted, marks: Uint8Array): void {
  const text = folded(reading.text);
  for (let i = 0; i + MIN_LENGTH <= text.length; i++) {
    const possible = begins[hashAt(text, i)]!;
    if (possible === 0) continue;
    for (const length of lengths) {
      const end = i + length;
      if (!(possible & (1 << length)) || !pieces[length]!.has(text.slice(i, end))) continue;
      if (length >= STANDS_IN_WORDS || standsAlone(text, i, end)) marks.fill(1, reading.from[i], reading.to[end - 1]);
    }
  }
}

/** Marks the beginning of a secret at the end of a text. */
function markStart(reading: Decoding, { starts }: Wanted, marks: Uint8Array): void {
  const text = folded(reading.text).replace(/…$/, '');
  for (let length = Math.min(FRAGMENT - 1, text.length); length >= MIN_START; length--) {
    if (!starts.has(text.slice(-length))) continue;
    marks.fill(1, reading.from[text.length - length], reading.to[text.length - 1]);
    return;
  }
}

const WORDY = /[\p{L}\p{N}_]/u;
const standsAlone = (text: string, start: number, end: number): boolean =>
  !WORDY.test(text.charAt(start - 1)) && !WORDY.test(text.charAt(end));

function masked(text: string, marks: Uint8Array): string {
  let shown = '';
  for (let i = 0; i < text.length; ) {
    const isSecret = marks[i] === 1;
    const change = marks.indexOf(isSecret ? 0 : 1, i);
    const end = change < 0 ? text.length : change;
    shown += isSecret ? REDACTED : text.slice(i, end);
    i = end;
  }
  return shown;
}
