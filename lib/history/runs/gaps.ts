import * as z from 'zod';
import type { TenantEnv } from '#lib/access/context.ts';
import type { CheckItem } from '#lib/checks/check-item.ts';
import { revisionsSince } from '#lib/checks/settings/revisions.ts';
import type { Env } from '#lib/env.ts';
import { iso } from '#lib/platform/time.ts';
import type { StoredGapCause } from '#lib/results/pack.ts';
import { probeTimeout } from '#lib/results/probe/probe.ts';
import { outagesBetween } from '#lib/schedule/outages.ts';
import { readWatermark } from '#lib/schedule/watermark.ts';
import type { Settings } from '#lib/settings.ts';
import type { SlotRange } from './runs.ts';
import { countSlots, type Revision, timeline } from './timeline.ts';

/**
 * Why a slot has no result (docs/use/states-and-history.md#gaps). `outage` follows from our outages, `network` and
 * `error` from the packs, noted when the probe failed on our side; `late` is anything else, such as our own stall.
 */
export const GapCause = z
  .enum(['late', 'outage', 'network', 'error'])
  .describe(
    'outage: the service did not run. network: its own network failed. error: a fault of ours. late: anything else, such as a probe that came too late.',
  );
export type GapCause = z.infer<typeof GapCause>;

/** [from, to) in epoch ms. */
export type TimeRange = { from: number; to: number };

/** How long after its slot (ms) a probe may be under way: an outage that begins meanwhile has cut it off. */
const underWay = (check: CheckItem, { JOB_GROUP_MS }: Pick<Settings, 'JOB_GROUP_MS'>): number =>
  JOB_GROUP_MS + probeTimeout(check);

/**
 * Our outages that touch a window or cut off the probe of a slot in it, the one that goes on at this moment included;
 * ascending, none overlaps another.
 */
export async function outagesOf(env: Env, check: CheckItem, window: SlotRange): Promise<TimeRange[]> {
  const { ports, keys } = env;
  const shard = keys.shardOf(check.id);
  const { from } = window;
  const until = window.until + underWay(check, ports.settings);
  const [outages, watermark] = await Promise.all([outagesBetween(env, shard, from, until), readWatermark(env, shard)]);
  const now = ports.clock.now();
  if (!watermark || watermark.at >= Math.min(now, until)) return outages;
  const last = outages.at(-1);
  if (!last || last.to < watermark.at) return [...outages, { from: watermark.at, to: now }];
  return [...outages.slice(0, -1), { from: last.from, to: now }];
}

/** Why slots of a window were missed; to be asked in ascending order. `noted`: the cause that a pack holds. */
export function causes({ ports }: TenantEnv, check: CheckItem, outages: TimeRange[]) {
  const reach = underWay(check, ports.settings);
  let i = 0;
  return (slot: number, noted: StoredGapCause | undefined): GapCause => {
    while (i < outages.length && outages[i]!.to <= slot) i++;
    const outage = outages[i];
    if (outage && outage.from <= slot) return 'outage';
    const isCutOff = outage !== undefined && outage.from <= slot + reach;
    return noted ?? (isCutOff ? 'outage' : 'late');
  };
}

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
const MAX_SLOTS = 100_000;

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
  window: SlotRange,
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
    if (looked++ === (most.moments ?? MAX_SLOTS)) return { gaps, next };
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
  outages: readonly TimeRange[],
  window: SlotRange,
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
