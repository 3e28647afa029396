import type { Message } from './message-facts.ts';

/** All of a message below its title, a line each: `Since: 2026-11-21 05:16:40 UTC`. */
export const linesOf = ({ lead, facts, why, note, links }: Message): string[] =>
  [
    lead,
    ...facts.map(([label, value]) => `${label}: ${value}`),
    why && `Why: ${why}`,
    note,
    ...links.map(([label, url]) => `${label}: ${url}`),
  ].filter((line) => line !== '');

/**
 * A text that is at most `most` long once it is escaped: cut between two characters, before its escapes, and marked
 * with an ellipsis.
 * @param size how long an escaped text is: UTF-16 units, unless the receiver counts otherwise
 */
export function fitted(
  text: string,
  most: number,
  escaped: (text: string) => string = (same) => same,
  size: (text: string) => number = (made) => made.length,
): string {
  const whole = escaped(text);
  if (size(whole) <= most) return whole;
  const characters = [...text];
  let [fits, longer] = [0, characters.length];
  while (longer - fits > 1) {
    const middle = (fits + longer) >> 1;
    if (size(escaped(`${characters.slice(0, middle).join('')}…`)) <= most) fits = middle;
    else longer = middle;
  }
  return escaped(`${characters.slice(0, fits).join('')}…`);
}
