import * as z from 'zod';
import type { TenantEnv } from '#lib/access/context.ts';
import type { CheckItem } from '#lib/checks/check-item.ts';
import { probeTimeout } from '#lib/checks/check-item.ts';
import { revisionsSince } from '#lib/checks/settings/revisions.ts';
import type { Env } from '#lib/env.ts';
import { iso } from '#lib/platform/time.ts';
import type { StoredGapCause } from '#lib/results/pack.ts';
import { outagesBetween } from '#lib/schedule/outages.ts';
import { readWatermark } from '#lib/schedule/watermark.ts';
import type { Settings } from '#lib/settings.ts';
import type { SlotRange } from './stored-results.ts';
import { countSlots, type SettingsRevision, timeline } from './timeline.ts';

/**
 * Cause of a missing result (docs/use/states-and-history.md#gaps). `outage` is derived from service outages. `network`,
 * `error` and `cpu_budget` are stored in packs. `late` is anything else, such as a stall.
 */
export const GapCause = z
  .enum(['late', 'outage', 'network', 'error', 'cpu_budget'])
  .describe(
    'outage: the service was not running. network: its network failed. error: internal error. cpu_budget: expressions and documents of the account used up its CPU budget. late: any other delay.',
  );
export type GapCause = z.infer<typeof GapCause>;

/** Time range [from, to) in epoch ms. */
export type TimeRange = { from: number; to: number };

/** Returns the time (ms) after a slot in which its probe can be in progress, so that a new outage interrupts it. */
const inProgressMs = (check: CheckItem, { JOB_GROUP_MS }: Pick<Settings, 'JOB_GROUP_MS'>): number =>
  JOB_GROUP_MS + probeTimeout(check);

/**
 * Returns the service outages that overlap a range or interrupted a probe of its slots, merged and ascending. If the
 * schedule is behind, the last one is in progress and ends now.
 */
export async function outagesOf(env: Env, check: CheckItem, range: SlotRange): Promise<TimeRange[]> {
  const { ports, keys } = env;
  const shard = keys.shardOf(check.id);
  const { from } = range;
  const until = range.until + inProgressMs(check, ports.settings);
  const [outages, watermark] = await Promise.all([outagesBetween(env, shard, from, until), readWatermark(env, shard)]);
  const now = ports.clock.now();
  if (!watermark || watermark.at >= Math.min(now, until)) return outages;
  const last = outages.at(-1);
  if (!last || last.to < watermark.at) return [...outages, { from: watermark.at, to: now }];
  return [...outages.slice(0, -1), { from: last.from, to: now }];
}

/** Returns a function from a missed slot to its cause; call it in ascending order. `noted`: stored cause, if any. */
export function gapCauseFinder({ ports }: TenantEnv, check: CheckItem, outages: TimeRange[]) {
  const reach = inProgressMs(check, ports.settings);
  let i = 0;
  return (slot: number, noted: StoredGapCause | undefined): GapCause => {
    while (i < outages.length && outages[i]!.to <= slot) i++;
    const outage = outages[i];
    if (outage && outage.from <= slot) return 'outage';
    const isCutOff = outage !== undefined && outage.from <= slot + reach;
    return noted ?? (isCutOff ? 'outage' : 'late');
  };
}

/** Gap as the API shows it: time in which a check was due but not monitored. */
export const GapRecord = z
  .object({
    from: z.iso
      .datetime()
      .describe('First missed slot; for a push check, the start of the service outage, within the time range.'),
    to: z.iso
      .datetime()
      .describe(
        'Slot after the last missed one; for a push check, the end of the service outage, within the time range.',
      ),
    slots: z.int().describe('Number of missed slots; for a push check with a schedule, of due times.'),
    cause: GapCause,
  })
  .meta({ id: 'Gap' });

/** Gap with times in epoch ms, [from, to). */
export type Gap = { from: number; to: number; slots: number; cause: GapCause };

export const gapRecord = (gap: Gap): z.infer<typeof GapRecord> => ({ ...gap, from: iso(gap.from), to: iso(gap.to) });

/** Maximum number of results and missed slots per search; a day at an interval of one second has 86,400. */
const MAX_ENTRIES = 100_000;

/**
 * Finds the gaps of a check in a time range, ascending; consecutive missed slots with the same cause are one gap. A gap
 * is derived from due slots without results; only some causes are stored. The only gaps of a push check, which is not
 * probed, are service outages. `limits`: maximum number of gaps to return (`gaps`), and of results and missed slots to
 * read (`entries`). Returns `next`, the start of the next search (epoch ms), if the search reached a limit.
 */
export async function findGaps(
  context: TenantEnv,
  check: CheckItem,
  range: SlotRange,
  limits: { gaps: number; entries?: number },
): Promise<{ gaps: Gap[]; next?: number }> {
  if (range.from >= range.until) return { gaps: [] };
  const revisions = await revisionsSince(context, check, range.from);
  const outages = await outagesOf(context, check, range);
  if (check.execution_mode === 'push') return firstGaps(await pushGaps(revisions, outages, range), limits.gaps);

  const gaps: Gap[] = [];
  const causeOf = gapCauseFinder(context, check, outages);
  let visited = 0;
  let next = range.from;
  for await (const entry of timeline(context, check, revisions, range)) {
    if (visited++ === (limits.entries ?? MAX_ENTRIES)) return { gaps, next };
    if (entry.missed) {
      const { slot, interval_ms } = entry.missed;
      const gap: Gap = { from: slot, to: slot + interval_ms, slots: 1, cause: causeOf(slot, entry.noted) };
      if (!isContinuation(gaps.at(-1), gap) && gaps.length === limits.gaps) return { gaps, next };
      appendOrExtend(gaps, gap);
    }
    next = entry.at + 1;
  }
  return { gaps };
}

/** Returns the gaps of a push check: the service outages while it was enabled, clipped to the range. */
export async function pushGaps(
  revisions: readonly SettingsRevision[],
  outages: readonly TimeRange[],
  range: SlotRange,
): Promise<Gap[]> {
  const gaps: Gap[] = [];
  for (const [i, revision] of revisions.entries()) {
    if (!revision.enabled) continue;
    for (const outage of outages) {
      const from = Math.max(outage.from, revision.from, range.from);
      const until = Math.min(outage.to, revisions[i + 1]?.from ?? Number.POSITIVE_INFINITY, range.until);
      if (from >= until) continue;
      appendOrExtend(gaps, { from, to: until, slots: await countSlots(revision, { from, until }), cause: 'outage' });
    }
  }
  return gaps;
}

const isContinuation = (last: Gap | undefined, gap: Gap): last is Gap =>
  last?.to === gap.from && last.cause === gap.cause;

function appendOrExtend(gaps: Gap[], gap: Gap): void {
  const last = gaps.at(-1);
  if (isContinuation(last, gap)) gaps[gaps.length - 1] = { ...last, to: gap.to, slots: last.slots + gap.slots };
  else gaps.push(gap);
}

function firstGaps(gaps: Gap[], limit: number): { gaps: Gap[]; next?: number } {
  return gaps.length > limit ? { gaps: gaps.slice(0, limit), next: gaps[limit]!.from } : { gaps };
}
