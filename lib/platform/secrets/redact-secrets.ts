import { type Reading, readingsOf, withoutEscapes } from './readings.ts';
import { REDACTED } from './redacted.ts';

/** A text without the secrets that it was made for. @param isCut it may end in the middle of one */
export type Redact = (text: string, isCut?: boolean) => string;

/** So many characters of a secret in a row are found wherever they stand; a shorter secret is found as a whole. */
const FRAGMENT = 16;
/** Fewer characters are no secret, and would riddle a text. */
const SHORTEST = 3;
/** Shorter ones are found only where no letter or digit touches them: `prod`, but not in `product`. */
const STANDS_IN_WORDS = 8;
/** Only so many first characters of a longer secret are looked for: bounds the time of a search. */
const LONGEST = 4096;
/** At the end of a text that was cut off there, so many first characters of a secret are found. */
const SHORTEST_START = 4;

/**
 * Makes what takes secrets out of a text that others wrote (an answer, an error, a log line), also where it holds half
 * of one, or has it in another case, with escapes of JSON, URLs or HTML, in base64 or in hex, or in several of these
 * at once. Takes time in proportion to the secrets and to the text.
 */
export function redactorOf(secrets: Iterable<string>): Redact {
  const forms = [...secrets].flatMap((one) => formsOf(one.slice(0, LONGEST)));
  // Before there are any tables for them: most checks have no secrets.
  if (!forms.some(({ length }) => length >= SHORTEST)) return (text) => text;
  const wanted = wantedOf(new Set(forms));
  return (text, isCut = text.endsWith('…')) => {
    const marks = new Uint8Array(text.length);
    for (const reading of readingsOf(text)) {
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
    if (length < SHORTEST) continue;
    pieces[length] ??= new Set();
    for (let i = 0; i + length <= secret.length; i++) {
      pieces[length].add(secret.slice(i, i + length));
      begins[hashAt(secret, i)]! |= 1 << length;
    }
    for (let end = SHORTEST_START; end < length; end++) starts.add(secret.slice(0, end));
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
function markPieces(reading: Reading, { pieces, lengths, begins }: Wanted, marks: Uint8Array): void {
  const text = folded(reading.text);
  for (let i = 0; i + SHORTEST <= text.length; i++) {
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
function markStart(reading: Reading, { starts }: Wanted, marks: Uint8Array): void {
  const text = folded(reading.text).replace(/…$/, '');
  for (let length = Math.min(FRAGMENT - 1, text.length); length >= SHORTEST_START; length--) {
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
