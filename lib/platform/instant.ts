import * as z from 'zod';
import { invalid } from './errors.ts';

const Iso8601 = z.union([z.iso.datetime({ offset: true, local: true }), z.iso.date()]);
const HAS_ZONE = /(Z|[+-]\d\d:\d\d)$/;

/** Parses an ISO 8601 time or date to epoch ms; undefined if it is not valid. A time without an offset is in UTC. */
export function parseInstant(input: string): number | undefined {
  // ISO 8601 also allows a comma.
  const text = input.replace(',', '.');
  if (!Iso8601.safeParse(text).success) return undefined;
  return Date.parse(text.includes('T') && !HAS_ZONE.test(text) ? `${text}Z` : text);
}

/** ISO 8601 time of a request, as epoch ms. */
export const Instant = z
  .string()
  .meta({ description: 'ISO 8601 time or date; in UTC if it has no offset.', examples: ['2026-11-21T05:16:40Z'] })
  .transform((text, context) => {
    const ms = parseInstant(text);
    if (ms !== undefined) return ms;
    context.addIssue({ code: 'custom', message: 'must be an ISO 8601 time, such as 2026-11-21T05:16:40Z' });
    return z.NEVER;
  });

/** Throws VALIDATION_ERROR if a range (epoch ms) ends before it begins. */
export function assertTimeRange({ since, until }: { since?: number | undefined; until?: number | undefined }): void {
  if (since !== undefined && until !== undefined && since > until) throw invalid('since', 'must not be after until');
}
