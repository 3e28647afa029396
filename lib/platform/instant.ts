import * as z from 'zod';
import { invalid } from './errors.ts';

const Iso8601 = z.union([z.iso.datetime({ offset: true, local: true }), z.iso.date()]);
const HAS_ZONE = /(Z|[+-]\d\d:\d\d)$/;

/**
 * A time to epoch ms: `2026-11-21T05:16:40.123Z`, with any fraction, with an offset or none for UTC, or a date alone.
 * Finer than a millisecond is cut off. Undefined when it is none, also for a day that no calendar has.
 */
export function parseInstant(given: string): number | undefined {
  // ISO 8601 has a comma too.
  const text = given.replace(',', '.');
  if (!Iso8601.safeParse(text).success) return undefined;
  return Date.parse(text.includes('T') && !HAS_ZONE.test(text) ? `${text}Z` : text);
}

/** An ISO 8601 time of a request, as epoch ms. */
export const Instant = z
  .string()
  .meta({ description: 'ISO 8601 time, or a date; without an offset in UTC.', examples: ['2026-11-21T05:16:40Z'] })
  .transform((text, context) => {
    const ms = parseInstant(text);
    if (ms !== undefined) return ms;
    context.addIssue({ code: 'custom', message: 'must be an ISO 8601 time, such as 2026-11-21T05:16:40Z' });
    return z.NEVER;
  });

/** Throws VALIDATION_ERROR for a time of a request that ends before it begins. Both in epoch ms. */
export function assertTimeRange({ since, until }: { since?: number | undefined; until?: number | undefined }): void {
  if (since !== undefined && until !== undefined && since > until) throw invalid('since', 'must not be after until');
}
