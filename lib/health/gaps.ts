import * as z from 'zod';
import type { Context } from '#lib/access/context.ts';
import type { CheckItem } from '#lib/checks/check-item.ts';
import { GAP_NOTES, stamp } from '#lib/keys.ts';
import type { Item } from '#lib/platform/ports.ts';
import { iso } from '#lib/platform/time.ts';
import { outagesBetween } from '#lib/schedule/outages.ts';
import { readWatermark } from '#lib/schedule/watermark.ts';
import { type Revision, slotsIn, type Window } from './due-slots.ts';
import { revisionsSince } from './read-revisions.ts';
import { timeline } from './timeline.ts';

export const GapCause = z.enum(['late', 'outage', 'network', 'error']);
export type GapCause = z.infer<typeof GapCause>;

/** Time in which a check was due and nobody watched, as the interface shows it. */
export const GapRecord = z.object({
  from: z.iso.datetime().describe('The first missed slot.'),
  to: z.iso.datetime().describe('The slot after the last missed one.'),
  slots: z.int().describe('How many slots were missed.'),
  cause: GapCause,
});

/** The same in epoch ms, [from, to). */
export type Gap = { from: number; to: number; slots: number; cause: GapCause };

/** Says why a slot (its place in the key) has no result, where that is known: about 150 bytes. */
export type GapNoteItem = Item & { cause: 'network' | 'error' };

export const gapRecord = (gap: Gap): z.infer<typeof GapRecord> => ({
  ...gap,
  from: iso(gap.from),
  to: iso(gap.to),
});

/** Results and missed slots that one request looks at; a day at one second has 86,400. */
const MOST_MOMENTS = 100_000;

/** How many gaps to find, and how many results and slots to look at, at most. */
type Most = { gaps: number; moments?: number };

/**
 * The gaps of a check in a window, ascending; missed slots that follow one another for the same cause are one gap.
 * Nothing is stored of them: they are slots that were due minus results. A push check, which we do not probe, has our
 * own outages as its only gaps.
 * @returns `next`: from where on (epoch ms) to look further, when the search ended early
 */
export async function findGaps(
  context: Context,
  check: CheckItem,
  window: Window,
  most: Most,
): Promise<{ gaps: Gap[]; next?: number }> {
  const revisions = await revisionsSince(context, check, window.from);
  const outages = await unwatched(context, check, window);
  if (check.execution_mode === 'push') return firstOf(pushGaps(revisions, outages, window), most.gaps);

  const gaps: Gap[] = [];
  const causeOf = causes(context, check, outages, window);
  let looked = 0;
  let next = window.from;
  for await (const { at, missed } of timeline(context, check, revisions, window)) {
    if (looked++ === (most.moments ?? MOST_MOMENTS)) return { gaps, next };
    if (missed) {
      const { slot, interval_ms } = missed;
      const gap: Gap = { from: slot, to: slot + interval_ms, slots: 1, cause: await causeOf(slot) };
      if (!joins(gaps.at(-1), gap) && gaps.length === most.gaps) return { gaps, next };
      add(gaps, gap);
    }
    next = at + 1;
  }
  return { gaps };
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

type Span = { from: number; to: number };

/** Our outages that touch a window, and the one that goes on at this moment, ascending. */
async function unwatched({ ports, keys }: Context, check: CheckItem, { from, until }: Window): Promise<Span[]> {
  const shard = keys.shardOf(check.entity_id);
  const [outages, watermark] = await Promise.all([
    outagesBetween(ports, keys, shard, from, until),
    readWatermark(ports, keys, shard),
  ]);
  const now = ports.clock.now();
  const goesOn = watermark && watermark.at < Math.min(now, until);
  return goesOn ? [...outages, { from: watermark.at, to: now }] : outages;
}

/** Our outages while a push check was enabled, cut to the window. Pure. */
export function pushGaps(revisions: readonly Revision[], outages: readonly Span[], window: Window): Gap[] {
  const gaps: Gap[] = [];
  for (const [i, revision] of revisions.entries()) {
    if (!revision.enabled) continue;
    for (const outage of outages) {
      const from = Math.max(outage.from, revision.from, window.from);
      const until = Math.min(outage.to, revisions[i + 1]?.from ?? Number.POSITIVE_INFINITY, window.until);
      if (from < until) {
        add(gaps, { from, to: until, slots: slotsIn(revision.rhythm, { from, until }), cause: 'outage' });
      }
    }
  }
  return gaps;
}

/** Why slots were missed; to be asked in ascending order. */
function causes(context: Context, check: CheckItem, outages: readonly Span[], window: Window) {
  const noted = notes(context, check, window);
  let i = 0;
  return async (slot: number): Promise<GapCause> => {
    while (i < outages.length && outages[i]!.to <= slot) i++;
    const outage = outages[i];
    return outage && outage.from <= slot ? 'outage' : ((await noted(slot)) ?? 'late');
  };
}

/** What the gap notes of a window say of a slot; to be asked in ascending order. Read page by page. */
function notes({ ports, keys, tenant }: Context, check: CheckItem, window: Window) {
  let page: GapNoteItem[] = [];
  let after: string | undefined;
  let isLast = false;
  const skipTo = (slot: number) => {
    page = page.slice(page.findIndex((item) => slotOf(item) >= slot));
  };
  return async (slot: number): Promise<GapNoteItem['cause'] | undefined> => {
    while (!page.some((item) => slotOf(item) >= slot) && !isLast) {
      const read = await ports.table.query<GapNoteItem>({
        partition: keys.ofCheck(tenant, check.id),
        from: `${GAP_NOTES}${stamp(slot)}`,
        to: `${GAP_NOTES}${stamp(window.until)}`,
        ...(after !== undefined && { after }),
      });
      page = read.items;
      after = read.next;
      isLast = read.next === undefined;
    }
    skipTo(slot);
    const first = page[0];
    return first && slotOf(first) === slot ? first.cause : undefined;
  };
}

const slotOf = (note: GapNoteItem): number => Number(note.sk.slice(GAP_NOTES.length));
