import { addLatency, emptyHistogram, type LatencyHistogram } from '#lib/history/rollups/latency-histogram.ts';

/** Standard deviations of the logarithm of latencies. With `usual`, about 1 in 100 latencies is 8 times as long. */
const SPREAD = { steady: 0.1, usual: 0.2, wide: 1 };

export function histogramOf(values: readonly number[]): LatencyHistogram {
  const histogram = emptyHistogram();
  for (const value of values) addLatency(histogram, value);
  return histogram;
}

/** Returns log-normal latencies around 80 ms, the same in each call. */
export function latencies(runs: number, spread: keyof typeof SPREAD): number[] {
  let seed = 1;
  const random = () => {
    seed = (seed * 48_271) % 2_147_483_647;
    return seed / 2_147_483_647;
  };
  return Array.from({ length: runs }, () => {
    const normal = Math.sqrt(-2 * Math.log(random())) * Math.cos(2 * Math.PI * random());
    const outlier = spread === 'usual' && random() < 0.01 ? 8 : 1;
    return Math.round(80 * outlier * Math.exp(SPREAD[spread] * normal));
  });
}
