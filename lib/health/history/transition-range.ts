import * as z from 'zod';
import type { Context } from '#lib/access/context.ts';
import { invalid } from '#lib/platform/errors.ts';
import { isId } from '#lib/platform/ids.ts';
import { Instant, mustBeSpan } from '#lib/platform/instant.ts';

/** Which transitions of a list are asked for, and in which order (docs/CONTRACT.md#transitions). */
export const TransitionRange = z.object({
  since: Instant.optional().describe('Changes of then or later: an ISO 8601 time.'),
  until: Instant.optional().describe('Changes before then: an ISO 8601 time.'),
  after: z
    .string()
    .optional()
    .describe('Id of a transition of this list: those behind it, oldest first. Goes with neither since nor until.'),
});
export type TransitionRange = Partial<z.output<typeof TransitionRange>>;

/** Throws VALIDATION_ERROR for a range that cannot be. */
export function mustBeRange({ since, until, after }: TransitionRange): void {
  mustBeSpan({ since, until });
  if (after === undefined) return;
  if (!isId('trn', after)) throw invalid('after', 'must be the id of a transition, such as trn_0mi8w2c1kw4b');
  if (since !== undefined || until !== undefined) throw invalid('after', 'give either this, or since and until');
}

/** Names a list of transitions for its cursors. @param of the check, or all */
export const scopeOf = ({ tenant }: Context, of: string, { after }: TransitionRange): string =>
  `${tenant} transitions ${of} ${after === undefined ? 'newest' : 'oldest'} first`;
