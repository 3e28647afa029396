import * as z from 'zod';
import type { Context } from '#lib/access/context.ts';
import type { CheckItem } from '#lib/checks/check-item.ts';
import type { Revision, Window } from '#lib/health/recording/due-slots.ts';
import { invalid } from '#lib/platform/errors.ts';
import { IdOf } from '#lib/platform/http/members.ts';
import { iso } from '#lib/platform/time.ts';
import { outagesOf } from './gap-causes.ts';
import { pushGaps } from './gaps.ts';
import { revisionsSince } from './read-revisions.ts';
import { timeline } from './timeline.ts';

/**
 * How a check did over the last hours. Time that was not watched is neither up nor down: it is in `gap_seconds` alone.
 */
export const Sparkline = z
  .object({
    check_id: IdOf('the check'),
    uptime_ratio: z
      .number()
      .nullable()
      .describe('Successes over results, each weighing the interval of its time; null without results.'),
    gap_seconds: z.int().describe('Time in which the check was due and not watched (see gaps).'),
    points: z
      .array(
        z.object({
          at: z.iso.datetime().describe('Where the point begins; it ends where the next one begins.'),
          avg_latency_ms: z.int().nullable().describe('Of the successes; null without any.'),
          successes: z.int().describe('Results that were successes.'),
          failures: z.int().describe('Results that were failures.'),
        }),
      )
      .describe('Parts of equal length, oldest first.'),
  })
  .meta({ id: 'Sparkline' });
export type Sparkline = z.infer<typeof Sparkline>;

type Point = { successes: number; failures: number; latency: number };

/** Some 100 MB of reading; a month at ten seconds has 259,200. */
const MOST_RESULTS = 300_000;

/**
 * @param points how many parts of equal length the hours are divided into
 * @throws AppError VALIDATION_ERROR when so many hours of this check hold too many results for one answer
 */
export async function readSparkline(
  context: Context,
  check: CheckItem,
  { hours, points }: { hours: number; points: number },
): Promise<Sparkline> {
  const now = context.ports.clock.now();
  // The last point holds this very moment too.
  const window: Window = { from: now - hours * 3_600_000, until: now + 1 };
  const width = (now - window.from) / points;
  const revisions = await revisionsSince(context, check, window.from);
  const weigh = weights(revisions, check);

  const found = Array.from({ length: points }, (): Point => ({ successes: 0, failures: 0, latency: 0 }));
  let results = 0;
  let up = 0;
  let watched = 0;
  let gapMs = check.execution_mode === 'push' ? await outageTime(context, check, revisions, window) : 0;
  for await (const moment of timeline(context, check, revisions, window)) {
    if (moment.missed) {
      gapMs += moment.missed.interval_ms;
      continue;
    }
    const { at, run } = moment;
    if (++results > MOST_RESULTS) throw invalid('hours', `hold more than ${MOST_RESULTS} results here; ask for fewer`);
    const point = found[Math.min(Math.floor((at - window.from) / width), points - 1)]!;
    const weight = weigh(at);
    watched += weight;
    if (run.success) {
      up += weight;
      point.successes += 1;
      point.latency += run.latency_ms;
    } else {
      point.failures += 1;
    }
  }
  return {
    check_id: check.id,
    uptime_ratio: results === 0 ? null : up / watched,
    gap_seconds: Math.round(gapMs / 1000),
    points: found.map(({ successes, failures, latency }, i) => ({
      at: iso(Math.round(window.from + i * width)),
      avg_latency_ms: successes === 0 ? null : Math.round(latency / successes),
      successes,
      failures,
    })),
  };
}

/** The interval (ms) that held when a result came; to be asked in ascending order. */
function weights(revisions: readonly Revision[], check: CheckItem): (at: number) => number {
  let i = 0;
  return (at) => {
    while (revisions[i + 1] && revisions[i + 1]!.from <= at) i++;
    return revisions[i]?.rhythm.interval_ms ?? check.interval_seconds * 1000;
  };
}

async function outageTime(context: Context, check: CheckItem, revisions: readonly Revision[], window: Window) {
  const gaps = pushGaps(revisions, await outagesOf(context, check, window), window);
  return gaps.reduce((sum, { from, to }) => sum + to - from, 0);
}
