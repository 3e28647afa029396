import * as z from 'zod';
import type { TenantEnv } from '#lib/access/context.ts';
import type { CheckItem } from '#lib/checks/check-item.ts';
import { causes, GapCause, outagesOf, type Span } from '#lib/health/history/gap-causes.ts';
import { revisionsSince } from '#lib/health/history/read-revisions.ts';
import { timeline } from '#lib/health/history/timeline.ts';
import { iso } from '#lib/platform/time.ts';
import { countSlots, type Revision, type Window } from './timeline.ts';

/** Time in which a check was due and not watched, as the API shows it. */
export const GapRecord = z
  .object({
    from: z.iso.datetime().describe('The first missed slot; for a push check, the beginning of our outage.'),
    to: z.iso.datetime().describe('The slot after the last missed one; for a push check, the end of our outage.'),
    slots: z.int().describe('How many slots were missed; of a push check with a schedule, due times.'),
    cause: GapCause,
  })
  .meta({ id: 'Gap' });

/** The same with times in epoch ms, [from, to). */
export type Gap = { from: number; to: number; slots: number; cause: GapCause };

export const gapRecord = (gap: Gap): z.infer<typeof GapRecord> => ({ ...gap, from: iso(gap.from), to: iso(gap.to) });

/** Results and missed slots that one search looks at; a day at one second has 86,400. */
const MOST_MOMENTS = 100_000;

/**
 * The gaps of a check in a window, ascending; missed slots that follow one another for the same cause are one gap.
 * Nothing is stored of them: they are slots that were due minus results. A push check, which we do not probe, has our
 * own outages as its only gaps.
 * @param most how many gaps to find, and how many results and slots to look at
 * @returns `next`: from where on (epoch ms) to look further, when the search ended early
 */
export async function findGaps(
  context: TenantEnv,
  check: CheckItem,
  window: Window,
  most: { gaps: number; moments?: number },
): Promise<{ gaps: Gap[]; next?: number }> {
  if (window.from >= window.until) return { gaps: [] };
  const revisions = await revisionsSince(context, check, window.from);
  const outages = await outagesOf(context, check, window);
  if (check.execution_mode === 'push') return firstOf(await pushGaps(revisions, outages, window), most.gaps);

  const gaps: Gap[] = [];
  const causeOf = causes(context, check, outages);
  let looked = 0;
  let next = window.from;
  for await (const moment of timeline(context, check, revisions, window)) {
    if (looked++ === (most.moments ?? MOST_MOMENTS)) return { gaps, next };
    if (moment.missed) {
      const { slot, interval_ms } = moment.missed;
      const gap: Gap = { from: slot, to: slot + interval_ms, slots: 1, cause: causeOf(slot, moment.noted) };
      if (!joins(gaps.at(-1), gap) && gaps.length === most.gaps) return { gaps, next };
      add(gaps, gap);
    }
    next = moment.at + 1;
  }
  return { gaps };
}

/** Our outages while a push check was enabled, cut to the window. */
export async function pushGaps(
  revisions: readonly Revision[],
  outages: readonly Span[],
  window: Window,
): Promise<Gap[]> {
  const gaps: Gap[] = [];
  for (const [i, revision] of revisions.entries()) {
    if (!revision.enabled) continue;
    for (const outage of outages) {
      const from = Math.max(outage.from, revision.from, window.from);
      const until = Math.min(outage.to, revisions[i + 1]?.from ?? Number.POSITIVE_INFINITY, window.until);
      if (from >= until) continue;
      add(gaps, { from, to: until, slots: await countSlots(revision, { from, until }), cause: 'outage' });
    }
  }
  return gaps;
}

const joins = (last: Gap | undefined, gap: Gap): last is Gap => last?.to === gap.from && last.cause === gap.cause;

/** Appends a gap, or makes the last one longer when it goes on. */
function add(gaps: Gap[], gap: Gap): void {
  const last = gaps.at(-1);
  if (joins(last, gap)) gaps[gaps.length - 1] = { ...last, to: gap.to, slots: last.slots + gap.slots };
  else gaps.push(gap);
}

function firstOf(gaps: Gap[], limit: number): { gaps: Gap[]; next?: number } {
  return gaps.length > limit ? { gaps: gaps.slice(0, limit), next: gaps[limit]!.from } : { gaps };
}
