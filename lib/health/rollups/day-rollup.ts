import type { Span } from '#lib/health/history/gap-causes.ts';
import { mergeFigures } from '#lib/history/rollups/figures.ts';
import type { CheckRollup } from '#lib/history/rollups/rollup-item.ts';
import type { AccountedSpan } from './accounted-span.ts';

/**
 * A UTC day of a check from its hours. Spans are kept of a day that was all one, as a single letter says it.
 * @param hours of that day in which something is known of the check, ascending; in all others it was not monitored
 */
export function dayRollup(hours: readonly CheckRollup[], day: Span): CheckRollup {
  const merged = mergeFigures(hours);
  const known = Object.values(merged.ms).reduce((sum, ms) => sum + ms, 0);
  merged.ms.not_monitored += day.to - day.from - known;
  const spans = hours.flatMap((hour): (AccountedSpan | null)[] => [...(hour.spans ?? [null])]);
  const [first] = spans;
  const isOne = known === day.to - day.from && first && spans.every((span) => isSameKind(span, first));
  return { ...merged, spans: isOne ? [{ ...first, ...day }] : null };
}

const isSameKind = (span: AccountedSpan | null, other: AccountedSpan): boolean =>
  span?.as === other.as && span.in_maintenance === other.in_maintenance;
