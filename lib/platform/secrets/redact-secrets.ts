import { REDACTED } from './kept-secrets.ts';

// Secrets are searched in all decodings of a text. The total length of the decodings is bounded, so the time is linear.

/** Character `i` of `text` was decoded from the characters `from[i]` to `to[i]` (exclusive) of the original text. */
type Decoding = { text: string; from: number[]; to: number[] };

/** Nested encodings: a secret in JSON in JSON in base64 has three. */
const MAX_LAYERS = 4;
/** Bound of the total length of all decodings, fewest layers first: MAX_GROWTH times text length plus SMALL_TEXT. */
const MAX_GROWTH = 32;
const SMALL_TEXT = 1000;

/** Yields the text, and each decoding of the escapes, base64 and hex in it. */
export function* decodingsOf(text: string): Generator<Decoding> {
  let left = MAX_GROWTH * text.length + SMALL_TEXT;
  let layer: Decoding[] = [undecoded(text)];
  for (let layers = 0; layer.length > 0; layers++) {
    const next: Decoding[] = [];
    for (const decoding of layer) {
      yield decoding;
      if (layers === MAX_LAYERS || left <= 0) continue;
      for (const inner of decodeLayer(decoding)) {
        left -= inner.text.length;
        next.push(inner);
      }
    }
    layer = next;
  }
}

/** Returns a text and its forms after each removal of escapes, at most `MAX_LAYERS`: `a%2526b`, `a%26b`, `a&b`. */
function unescapeAll(text: string): string[] {
  const found = [text];
  for (let layers = 0; layers < MAX_LAYERS; layers++) {
    const plain = found.at(-1)!.replace(ESCAPE, (written) => charactersOf(written) ?? written);
    if (plain === found.at(-1)) break;
    found.push(plain);
  }
  return found;
}

function undecoded(text: string): Decoding {
  const from = Array.from({ length: text.length }, (_, i) => i);
  return { text, from, to: from.map((i) => i + 1) };
}

function decodeLayer(decoding: Decoding): Decoding[] {
  const { text } = decoding;
  return [
    ...ESCAPES.flatMap(({ whole, part }) => {
      const end = text.search(part);
      // If the text is cut off in an escape, a second decoding ends before that escape.
      return [removeEscapes(decoding, whole, text.length), end >= 0 ? removeEscapes(decoding, whole, end) : undefined];
    }),
    ...BASE64_OFFSETS.map((offset) => decodeDigits(decoding, BASE64, 6, sixBits, offset)),
    ...HEX_OFFSETS.map((offset) => decodeDigits(decoding, HEX, 4, fourBits, offset)),
  ].filter((one) => one !== undefined);
}

/** Escapes, and the incomplete escape at the end of a truncated text. */
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

function charactersOf(written: string): string | undefined {
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

function removeEscapes({ text, from, to }: Decoding, escapes: RegExp, end: number): Decoding | undefined {
  const parts: string[] = [];
  const output: Decoding = { text: '', from: [], to: [] };
  let done = 0;
  const keep = (upTo: number) => {
    parts.push(text.slice(done, upTo));
    for (let i = done; i < upTo; i++) {
      output.from.push(from[i]!);
      output.to.push(to[i]!);
    }
  };
  for (const { 0: written, index } of text.slice(0, end).matchAll(escapes)) {
    const characters = charactersOf(written);
    if (characters === undefined) continue;
    keep(index);
    done = index + written.length;
    parts.push(characters);
    for (let i = 0; i < characters.length; i++) {
      output.from.push(from[index]!);
      output.to.push(to[done - 1]!);
    }
  }
  if (done === 0 && end === text.length) return undefined;
  keep(end);
  return { ...output, text: parts.join('') };
}

/** Runs of digits that encode at least four bytes; base64 in both alphabets, also across line breaks. */
const BASE64 = /[\w+/-]{6,}(?:\r?\n[\w+/-]+)*/g;
const HEX = /[\da-f]{8,}/gi;
/** Possible offsets of the first byte, because other text may precede it. */
const BASE64_OFFSETS = [0, 1, 2, 3];
const HEX_OFFSETS = [0, 1];

/** Decodes runs of digits to bytes (as Latin-1), with a line break between runs; undefined without runs. */
function decodeDigits(
  { text, from, to }: Decoding,
  runs: RegExp,
  bitsOfDigit: number,
  digit: (code: number) => number,
  offset: number,
): Decoding | undefined {
  const codes: number[] = [];
  const output: Decoding = { text: '', from: [], to: [] };
  const push = (code: number, first: number, last: number) => {
    codes.push(code);
    output.from.push(from[first]!);
    output.to.push(to[last]!);
  };
  for (const { 0: run, index } of text.matchAll(runs)) {
    if (codes.length > 0) push(0x0a, index, index);
    let [pending, bits, previous] = [0, 0, index];
    for (let i = index + offset; i < index + run.length; i++) {
      const value = digit(text.charCodeAt(i));
      if (value < 0) continue; // Line break
      pending = ((pending << bitsOfDigit) | value) & 0xfff;
      bits += bitsOfDigit;
      if (bits >= 8) {
        bits -= 8;
        push((pending >> bits) & 0xff, previous, i);
      }
      previous = i;
    }
  }
  return codes.length === 0 ? undefined : { ...output, text: Buffer.from(codes).toString('latin1') };
}

const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const sixBitsOf = Array.from({ length: 128 }, (_, code) =>
  DIGITS.indexOf(String.fromCharCode(code).replace('-', '+').replace('_', '/')),
);
const sixBits = (code: number): number => sixBitsOf[code] ?? -1;
const fourBits = (code: number): number => Number.parseInt(String.fromCharCode(code), 16);

/** Replaces secrets in a text. @param isCut whether the text may end in the middle of a secret */
export type Redact = (text: string, isCut?: boolean) => string;

/** Length of the parts of a secret that are found anywhere; a shorter secret is found as a whole. */
const FRAGMENT = 16;
/** Minimum length of a secret that is redacted: shorter secrets would match everywhere. */
const MIN_LENGTH = 3;
/** Shorter secrets match only whole words: `prod`, but not in `product`. */
const MIN_LENGTH_IN_WORDS = 8;
/** Maximum number of characters of a secret that are searched, which bounds the time. */
const MAX_SEARCHED = 4096;
/** Minimum length of a secret's beginning that is found at the end of a truncated text. */
const MIN_START = 4;

/**
 * Returns a function that redacts secrets in external text (a response, an error, a log line). It finds secrets in
 * JSON, URL or HTML escapes, base64, hex or several of these, regardless of case. If a secret has more than 16
 * characters, it finds any 16 consecutive ones. Time is proportional to the length of the secrets plus the text.
 */
export function redactorOf(secrets: Iterable<string>): Redact {
  const forms = [...secrets].flatMap((secret) => formsOf(secret.slice(0, MAX_SEARCHED)));
  // Most checks have no secrets, so no tables are built for them.
  if (!forms.some(({ length }) => length >= MIN_LENGTH)) return (text) => text;
  const patterns = patternsOf(new Set(forms));
  return (text, isCut = text.endsWith('…')) => {
    const marks = new Uint8Array(text.length);
    for (const decoding of decodingsOf(text)) {
      markPieces(decoding, patterns, marks);
      if (isCut) markStart(decoding, patterns, marks);
    }
    return maskMarked(text, marks);
  };
}

/**
 * Parts of secrets in lower case, by length. `begins` maps the hash of three characters to the lengths of the parts
 * that begin with them, one bit each. It rejects most positions of a text without a comparison. `starts`: beginnings of
 * secrets, searched at the end of a truncated text.
 */
type Patterns = { pieces: Set<string>[]; lengths: number[]; begins: Uint32Array; starts: Set<string> };

function patternsOf(forms: ReadonlySet<string>): Patterns {
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

/** Returns a secret with and without escapes, each as text and as UTF-8 bytes read as Latin-1 (see `decodeDigits`). */
const formsOf = (secret: string): string[] =>
  unescapeAll(secret).flatMap((text) => [folded(text), folded(Buffer.from(text, 'utf8').toString('latin1'))]);

/** Lower-cases a text without changing its length; a + becomes a space, as in a form. */
const folded = (text: string): string =>
  text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase()).replaceAll('+', ' ');

const HASHES = 1 << 14;
const hashAt = (text: string, i: number): number =>
  (text.charCodeAt(i) * 961 + text.charCodeAt(i + 1) * 31 + text.charCodeAt(i + 2)) % HASHES;

function markPieces(decoding: Decoding, { pieces, lengths, begins }: Patterns, marks: Uint8Array): void {
  const text = folded(decoding.text);
  for (let i = 0; i + MIN_LENGTH <= text.length; i++) {
    const lengthBits = begins[hashAt(text, i)]!;
    if (lengthBits === 0) continue;
    for (const length of lengths) {
      const end = i + length;
      if (!(lengthBits & (1 << length)) || !pieces[length]!.has(text.slice(i, end))) continue;
      if (length >= MIN_LENGTH_IN_WORDS || isWholeWord(text, i, end))
        marks.fill(1, decoding.from[i], decoding.to[end - 1]);
    }
  }
}

function markStart(decoding: Decoding, { starts }: Patterns, marks: Uint8Array): void {
  const text = folded(decoding.text).replace(/…$/, '');
  for (let length = Math.min(FRAGMENT - 1, text.length); length >= MIN_START; length--) {
    if (!starts.has(text.slice(-length))) continue;
    marks.fill(1, decoding.from[text.length - length], decoding.to[text.length - 1]);
    return;
  }
}

const WORD_CHARACTER = /[\p{L}\p{N}_]/u;
const isWholeWord = (text: string, start: number, end: number): boolean =>
  !WORD_CHARACTER.test(text.charAt(start - 1)) && !WORD_CHARACTER.test(text.charAt(end));

function maskMarked(text: string, marks: Uint8Array): string {
  let output = '';
  for (let i = 0; i < text.length; ) {
    const isSecret = marks[i] === 1;
    const change = marks.indexOf(isSecret ? 0 : 1, i);
    const end = change < 0 ? text.length : change;
    output += isSecret ? REDACTED : text.slice(i, end);
    i = end;
  }
  return output;
}
