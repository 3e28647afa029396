import type { Span } from '#lib/health/history/gap-causes.ts';
import type { Accounted, AccountedSpan } from './accounted-span.ts';

/** `i` is impaired. Of what maintenance hides, the capital. */
const LETTER = { up: 'u', degraded: 'i', down: 'd', unknown: 'x', gap: 'g', not_monitored: 'n' } as const;

const KINDS = new Map<string, Accounted>(
  Object.entries(LETTER).flatMap(([kind, letter]): [string, Accounted][] => {
    const as = kind as Accounted['as'];
    return [
      [letter, { as, in_maintenance: false }],
      [letter.toUpperCase(), { as, in_maintenance: true }],
    ];
  }),
);

/**
 * Spans as text: of each a letter and how long it lasts in ms, which the last one does without, as it lasts to the end.
 * An hour that was up is `u`; one with an outage of a minute, `u1200000d60000u`.
 */
export const spanText = (spans: readonly AccountedSpan[]): string =>
  spans
    .map(({ from, to, as, in_maintenance }, i) => {
      const letter = in_maintenance ? LETTER[as].toUpperCase() : LETTER[as];
      return i === spans.length - 1 ? letter : `${letter}${to - from}`;
    })
    .join('');

/**
 * The spans of such a text.
 * @param window that they cover
 * @throws Error for what is no such text, or does not end at the end of the window
 */
export function spansOf(text: string, window: Span): AccountedSpan[] {
  const spans: AccountedSpan[] = [];
  let at = window.from;
  for (const [, letter = '', length = ''] of text.matchAll(/(\D)(\d*)/g)) {
    const kind = KINDS.get(letter);
    const to = length === '' ? window.to : at + Number(length);
    if (!kind || to <= at) throw new Error(`"${text}" does not say what that time was.`);
    spans.push({ from: at, to, ...kind });
    at = to;
  }
  if (at !== window.to) throw new Error(`"${text}" does not say what all of that time was.`);
  return spans;
}
