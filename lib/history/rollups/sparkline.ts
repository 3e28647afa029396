import * as z from 'zod';
import type { Context } from '#lib/access/context.ts';
import type { CheckItem } from '#lib/checks/check-item.ts';
import { type RevisionItem, revisionsSince } from '#lib/checks/settings/revisions.ts';
import type { TimeRange } from '#lib/history/results/gaps.ts';
import { IdOf } from '#lib/platform/http/route.ts';
import { HOUR_MS, iso } from '#lib/platform/time.ts';
import { gapCount } from './figures.ts';
import { hoursIn } from './hours.ts';
import { readRollups, sourceOf } from './stored-rollups.ts';

/** Sparkline of a check over the last hours. Gaps count only in `gap_seconds`. */
export const Sparkline = z
  .object({
    check_id: IdOf('the check'),
    uptime_ratio: z
      .number()
      .nullable()
      .describe(
        'Successes divided by results, each weighted by the interval in force at its time; null without results.',
      ),
    gap_seconds: z.int().describe('Time in which the check was due but not monitored (see gaps).'),
    points: z
      .array(
        z.object({
          at: z.iso.datetime().describe('Start of the point; it ends where the next one starts.'),
          avg_latency_ms: z
            .int()
            .nullable()
            .describe('Average latency of the successes, in milliseconds; null without any.'),
          successes: z.int().describe('Number of successes.'),
          failures: z.int().describe('Number of failures.'),
        }),
      )
      .describe('Points of equal length, oldest first.'),
  })
  .meta({ id: 'Sparkline' });
export type Sparkline = z.infer<typeof Sparkline>;

type Point = { successes: number; failures: number; latency: number };

/** Reads a sparkline: from rollups for whole hours within a point, from raw data at the ends of points. */
export async function readSparkline(
  context: Context,
  check: CheckItem,
  { hours, points }: { hours: number; points: number },
): Promise<Sparkline> {
  const now = context.ports.clock.now();
  const start = now - hours * HOUR_MS;
  const width = (now - start) / points;
  // The last point includes the present instant.
  const ends = Array.from({ length: points }, (_, i) =>
    i === points - 1 ? now + 1 : Math.ceil(start + (i + 1) * width),
  );
  const revisions = await revisionsSince(context, check, start);
  const ranges = rangesOf({ from: start, to: now + 1 }, [...ends, ...revisions.map(({ from }) => from)]);
  const intervalAt = intervals(revisions, check);

  const found = ends.map((): Point => ({ successes: 0, failures: 0, latency: 0 }));
  let [results, up, monitored, gapMs, i] = [0, 0, 0, 0, 0];
  const rollups = readRollups(context, context.caller.retention_days);
  for (const { range, figures } of await rollups.parts(sourceOf(check), ranges)) {
    while (range.from >= ends[i]!) i++;
    const point = found[i]!;
    const interval = intervalAt(range.from);
    const { runs, failures, latency, ms } = figures;
    point.successes += runs - failures;
    point.failures += failures;
    point.latency += latency.sum;
    results += runs;
    up += (runs - failures) * interval;
    monitored += runs * interval;
    gapMs += check.execution_mode === 'push' ? ms.gap : gapCount(figures) * interval;
  }
  return {
    check_id: check.id,
    uptime_ratio: results === 0 ? null : up / monitored,
    gap_seconds: Math.round(gapMs / 1000),
    points: found.map(({ successes, failures, latency }, p) => ({
      at: iso(Math.round(start + p * width)),
      avg_latency_ms: successes === 0 ? null : Math.round(latency / successes),
      successes,
      failures,
    })),
  };
}

/** Divides a range at instants and at full hours, so that each part has one point and one interval. */
function rangesOf({ from, to }: TimeRange, instants: number[]): TimeRange[] {
  const inside = instants.filter((at) => at > from && at < to);
  const borders = [...new Set([from, ...inside, to])].sort((a, b) => a - b);
  return borders.slice(1).flatMap((end, b) => hoursIn({ from: borders[b]!, to: end }));
}

/** Returns a function from an instant to the interval (ms) in force; call it in ascending order. */
function intervals(revisions: readonly RevisionItem[], check: CheckItem): (at: number) => number {
  let i = 0;
  return (at) => {
    while (revisions[i + 1] && revisions[i + 1]!.from <= at) i++;
    return revisions[i]?.rhythm.interval_ms ?? check.interval_seconds * 1000;
  };
}
