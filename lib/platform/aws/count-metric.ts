import type { Metrics } from '#lib/platform/ports.ts';

/**
 * Counts by a line of CloudWatch's embedded metric format in the function's log, whatever the level of that. The
 * namespace is in POWERTOOLS_METRICS_NAMESPACE, the dimension is the function. Small enough for every function.
 */
export const countMetrics = (service: string): Metrics => ({
  count: (name) => {
    const Namespace = process.env.POWERTOOLS_METRICS_NAMESPACE;
    const CloudWatchMetrics = [{ Namespace, Dimensions: [['service']], Metrics: [{ Name: name, Unit: 'Count' }] }];
    const line = { _aws: { Timestamp: Date.now(), CloudWatchMetrics }, service, [name]: 1 };
    process.stdout.write(`${JSON.stringify(line)}\n`);
  },
});
