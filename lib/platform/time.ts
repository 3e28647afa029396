import * as z from 'zod';

/** Epoch ms to the form times go out in: `2026-11-21T05:16:40.123Z`. */
export const iso = (ms: number): string => new Date(ms).toISOString();

const ISO_8601 =
  /^\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:[.,]\d{1,9})?)?(Z|[+-]\d{2}(?::?\d{2})?)?)?$/i;

/** Any ISO 8601 instant (offset, or none for UTC) to epoch ms; undefined when it is none. */
export function parseInstant(text: string): number | undefined {
  const match = ISO_8601.exec(text);
  if (!match) return undefined;
  let normal = text.replace(' ', 'T').replace(',', '.').toUpperCase();
  if (match[1] === undefined && normal.includes('T')) normal += 'Z';
  normal = normal.replace(/([+-]\d{2})(\d{2})?$/, (whole, hours, minutes) =>
    normal.includes('T') ? `${hours}:${minutes ?? '00'}` : whole,
  );
  const ms = Date.parse(normal);
  return Number.isNaN(ms) ? undefined : ms;
}

/** An ISO 8601 time of a request, as epoch ms. */
export const Instant = z.string().transform((text, context) => {
  const ms = parseInstant(text);
  if (ms !== undefined) return ms;
  context.addIssue({ code: 'custom', message: 'must be an ISO 8601 time, such as 2026-11-21T05:16:40Z' });
  return z.NEVER;
});
