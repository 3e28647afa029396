/**
 * Writes one value of a metric: a line of CloudWatch's embedded metric format in the function's log, whatever the level
 * of that. The namespace is in POWERTOOLS_METRICS_NAMESPACE, the dimension is the function.
 */
export function writeMetric(service: string, name: string, unit: 'Count' | 'Seconds', value: number): void {
  const Namespace = process.env.POWERTOOLS_METRICS_NAMESPACE;
  const CloudWatchMetrics = [{ Namespace, Dimensions: [['service']], Metrics: [{ Name: name, Unit: unit }] }];
  const line = { _aws: { Timestamp: Date.now(), CloudWatchMetrics }, service, [name]: value };
  process.stdout.write(`${JSON.stringify(line)}\n`);
}
