import fc from 'fast-check';
import type { EntityState } from '#lib/catalog/states.ts';
import type { TimeRange } from '#lib/history/results/gaps.ts';
import { type ClassifiedSpan, classifyTime, timeOf } from '#lib/history/rollups/classify-time.ts';
import type { Figures } from '#lib/history/rollups/figures.ts';
import { histogramOf } from './some-latencies.ts';

const count = fc.nat({ max: 100_000 });

/** Generates random spans of a check in a range. */
export function someSpans({ from, to }: TimeRange): fc.Arbitrary<ClassifiedSpan[]> {
  const at = fc.integer({ min: from, max: to });
  const spans = fc.array(fc.record({ from: at, to: at }), { maxLength: 3 });
  const state = fc.constantFrom<EntityState>('up', 'degraded', 'down', 'unknown');
  const monitored = fc.oneof(fc.constant([{ from, to }]), spans);
  return fc
    .record({
      changes: fc.array(fc.record({ at, state }), { maxLength: 5 }),
      monitored,
      gaps: spans,
      maintenance: spans,
    })
    .map((known) => classifyTime(known, { from, to }));
}

/** Generates figures of a check with these spans and random counts. */
export const someFigures = (spans: readonly ClassifiedSpan[]): fc.Arbitrary<Figures> =>
  fc
    .record({
      runs: count,
      failed: fc.double({ min: 0, max: 1, noNaN: true }),
      warnings: count,
      gaps: fc.record({ late: count, outage: count, network: count, error: count, cpu_budget: count }),
      latencies: fc.array(fc.nat({ max: 86_400_000 }), { maxLength: 30 }),
    })
    .map(({ runs, failed, warnings, gaps, latencies }) => ({
      runs,
      failures: Math.round(runs * failed),
      warnings,
      gaps,
      ...timeOf(spans),
      latency: histogramOf(latencies),
    }));
