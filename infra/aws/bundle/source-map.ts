import type { Cut } from './without-documentation.ts';

/** Source map of version 3 without the sources themselves (ECMA-426). */
export type SourceMapFile = { version: 3; sources: string[]; names: string[]; mappings: string };

/** Position in generated code. `fields`: source index, line and column in that source, name index; can be empty. */
type Position = { line: number; column: number; fields: number[] };

/** Moves the positions of a map to where their text is after the cuts, and drops positions inside a cut. */
export function mapAfterCuts(map: SourceMapFile, before: string, after: string, cuts: readonly Cut[]): SourceMapFile {
  const [from, to] = [lineStarts(before), lineStarts(after)];
  const kept: Position[] = [];
  let shift = 0;
  let next = 0;
  let line = 0;
  for (const position of positionsOf(map.mappings)) {
    const offset = from[position.line]! + position.column;
    for (; next < cuts.length && cuts[next]!.to <= offset; next++)
      shift += cuts[next]!.by.length - (cuts[next]!.to - cuts[next]!.from);
    if (next < cuts.length && cuts[next]!.from <= offset) continue;
    while (line + 1 < to.length && to[line + 1]! <= offset + shift) line++;
    kept.push({ line, column: offset + shift - to[line]!, fields: position.fields });
  }
  return { ...map, mappings: mappingsOf(kept) };
}

const lineStarts = (code: string): number[] => [0, ...[...code.matchAll(/\n/g)].map(({ index }) => index + 1)];

const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
/** Continuation bit of a base64 VLQ digit, above its five data bits. */
const MORE = 32;

/** Decodes mappings: each field is relative to the previous position, except the first column of a line. */
function positionsOf(mappings: string): Position[] {
  const last = [0, 0, 0, 0];
  return mappings.split(';').flatMap((text, line) => {
    let column = 0;
    return text
      .split(',')
      .filter(Boolean)
      .map((segment) => {
        const [first = 0, ...rest] = numbersOf(segment);
        column += first;
        const fields = rest.map((value, i) => value + last[i]!);
        for (const [i, value] of fields.entries()) last[i] = value;
        return { line, column, fields };
      });
  });
}

function mappingsOf(positions: readonly Position[]): string {
  const last = [0, 0, 0, 0];
  const lines: string[][] = [];
  let column = 0;
  for (const position of positions) {
    while (lines.length <= position.line) {
      lines.push([]);
      column = 0;
    }
    const values = [position.column - column, ...position.fields.map((value, i) => value - last[i]!)];
    column = position.column;
    for (const [i, value] of position.fields.entries()) last[i] = value;
    lines.at(-1)!.push(values.map(digitsOf).join(''));
  }
  return lines.map((segments) => segments.join(',')).join(';');
}

function numbersOf(segment: string): number[] {
  const numbers: number[] = [];
  let value = 0;
  let bits = 0;
  for (const digit of segment) {
    const part = DIGITS.indexOf(digit);
    value |= (part & (MORE - 1)) << bits;
    bits += 5;
    if (part & MORE) continue;
    numbers.push(value & 1 ? -(value >> 1) : value >> 1);
    value = 0;
    bits = 0;
  }
  return numbers;
}

function digitsOf(number: number): string {
  let left = number < 0 ? (-number << 1) | 1 : number << 1;
  let digits = '';
  do {
    const part = left & (MORE - 1);
    left >>>= 5;
    digits += DIGITS[left > 0 ? part | MORE : part];
  } while (left > 0);
  return digits;
}
