import * as z from 'zod';
import type { ErrorDetail } from '#lib/platform/errors.ts';
import { refusal } from '#lib/platform/http/validation.ts';
import type { EscalationStep } from './policy.ts';

const MOST_STEPS = 5;
const MOST_CHANNELS = 10;
const WEEK_SECONDS = 604_800;

const Step = z.object({
  after_seconds: z
    .int('must be a whole number of seconds')
    .min(1, 'must be at least 1')
    .max(WEEK_SECONDS, `must be at most ${WEEK_SECONDS} (a week)`)
    .describe('Seconds after the first alert of a failure; more than those of the step before.'),
  channel_ids: z
    .array(z.string())
    .min(1, 'must name at least one channel')
    .max(MOST_CHANNELS, `must name at most ${MOST_CHANNELS} channels`)
    .describe('Whom it calls: channels of the check, and of the account.'),
});

/** Steps in ascending order of time; each channel in one of them. */
export const Escalation = z
  .array(Step)
  .max(MOST_STEPS, `must have at most ${MOST_STEPS} steps`)
  .superRefine((steps, context) => {
    const wrong = (path: (string | number)[], message: string) => context.addIssue({ code: 'custom', path, message });
    const named = new Map<string, number>();
    for (const [i, { after_seconds, channel_ids }] of steps.entries()) {
      const before = steps[i - 1]?.after_seconds;
      if (before !== undefined && after_seconds <= before)
        wrong(
          [i, 'after_seconds'],
          `must be more than the ${before} of the step before; put the steps in order of time`,
        );
      for (const [j, id] of channel_ids.entries()) {
        const first = named.get(id);
        if (first !== undefined)
          wrong([i, 'channel_ids', j], `is in step ${first + 1} already; a channel is in one step`);
        named.set(id, first ?? i);
      }
    }
  });

/**
 * Steps may only name channels that are there.
 * @param known ids of the channels that they may name
 * @param where says which those are, and where to find them
 * @throws AppError VALIDATION_ERROR that names each that is not
 */
export function mustNameChannels(steps: readonly EscalationStep[], known: ReadonlySet<string>, where: string): void {
  const gone = steps.flatMap(({ channel_ids }, i) =>
    channel_ids.flatMap((id, j): ErrorDetail[] =>
      known.has(id) ? [] : [{ path: `escalation.${i}.channel_ids.${j}`, message: `names no channel ${where}` }],
    ),
  );
  if (gone.length > 0) throw refusal(gone);
}
