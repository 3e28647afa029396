import type { Message } from './message-facts.ts';

/** Returns the message below its title, one line per item: `Since: 2026-11-21 05:16:40 UTC`. */
export const linesOf = ({ lead, facts, why, note, links }: Message): string[] =>
  [
    lead,
    ...facts.map(([label, value]) => `${label}: ${value}`),
    why && `Why: ${why}`,
    note,
    ...links.map(([label, url]) => `${label}: ${url}`),
  ].filter((line) => line !== '');

/** Escapes a text. If `size` of the result (default: UTF-16 units) is too large, first truncates, with an ellipsis. */
export function fitted(
  text: string,
  maxSize: number,
  escaped: (text: string) => string = (same) => same,
  size: (text: string) => number = (made) => made.length,
): string {
  const whole = escaped(text);
  if (size(whole) <= maxSize) return whole;
  const characters = [...text];
  let [fits, longer] = [0, characters.length];
  while (longer - fits > 1) {
    const middle = (fits + longer) >> 1;
    if (size(escaped(`${characters.slice(0, middle).join('')}…`)) <= maxSize) fits = middle;
    else longer = middle;
  }
  return escaped(`${characters.slice(0, fits).join('')}…`);
}
