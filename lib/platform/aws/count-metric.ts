import type { Metrics } from '#lib/platform/ports.ts';
import { writeMetric } from './metric-line.ts';

/** Counts by a line each, at once: what is kept until a run ends goes with a run that is cut off. */
export const countMetrics = (service: string): Metrics => ({
  count: (name) => writeMetric(service, name, 'Count', 1),
});
