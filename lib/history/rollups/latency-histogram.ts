/** Encodes whole numbers up to 2^53 - 1 in LEB128 (DWARF 5, section 7.6) and base64url (RFC 4648, section 5). */
export function encodeVarints(numbers: readonly number[]): string {
  const bytes: number[] = [];
  for (const number of numbers) {
    // No shifts: JavaScript shifts only 32 bits.
    let rest = number;
    for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) bytes.push(0x80 + (rest % 0x80));
    bytes.push(rest);
  }
  return Buffer.from(bytes).toString('base64url');
}

/** Decodes `encodeVarints`. Throws an Error if the last number has no end. */
export function decodeVarints(text: string): number[] {
  const numbers: number[] = [];
  let number = 0;
  let scale = 1;
  for (const byte of Buffer.from(text, 'base64url')) {
    number += (byte % 0x80) * scale;
    if (byte < 0x80) {
      numbers.push(number);
      number = 0;
      scale = 1;
    } else {
      scale *= 0x80;
    }
  }
  if (scale > 1) throw new Error(`The varints in "${text}" are truncated.`);
  return numbers;
}

/**
 * Histogram of latencies in ms (docs/use/states-and-history.md#history): base-2 exponential of scale 4, as in the
 * OpenTelemetry metrics data model (schema 4 of Prometheus native histograms). Bounds double every 16 bins, so a
 * percentile is off by at most 2.2 % plus 0.5 ms, and exact below 27 ms. `bins` has the number of values per bin, up
 * to the last non-empty one: bin 0 for 0, bin k + 1 for (2^((k-1)/16), 2^(k/16)]. If empty, min is Infinity, max 0.
 */
export type LatencyHistogram = { count: number; sum: number; min: number; max: number; bins: number[] };

const BINS_PER_DOUBLING = 16;

/** Maximum latency: 37 hours in ms. A job run measured for longer, up to 72 hours, counts as this maximum. */
const MAX_MS = 2 ** 27;

/**
 * Upper bounds of bins from the second on. The same on all machines: no irrational power is so close to a whole number
 * that a rounding error changes its floor.
 */
const UPPER_BOUNDS = Array.from({ length: 27 * BINS_PER_DOUBLING + 1 }, (_, k) =>
  Math.floor(2 ** (k / BINS_PER_DOUBLING)),
);

export const emptyHistogram = (): LatencyHistogram => ({
  count: 0,
  sum: 0,
  min: Number.POSITIVE_INFINITY,
  max: 0,
  bins: [],
});

/** Adds a latency (whole ms, 0 or more) to a histogram, in place. */
export function addLatency(histogram: LatencyHistogram, latencyMs: number): void {
  const value = Math.min(latencyMs, MAX_MS);
  const bin = binOf(value);
  histogram.count += 1;
  histogram.sum += value;
  histogram.min = Math.min(histogram.min, value);
  histogram.max = Math.max(histogram.max, value);
  addValues(histogram, bin, 1);
}

/** Merges histograms into a new one. Associative and commutative, so that its encoding does not depend on the order. */
export function mergeHistograms(histograms: Iterable<LatencyHistogram>): LatencyHistogram {
  const merged = emptyHistogram();
  for (const { count, sum, min, max, bins } of histograms) {
    merged.count += count;
    merged.sum += sum;
    merged.min = Math.min(merged.min, min);
    merged.max = Math.max(merged.max, max);
    for (let bin = 0; bin < bins.length; bin++) addValues(merged, bin, bins[bin]!);
  }
  return merged;
}

/** Returns the nearest-rank percentile (1 to 100) in ms, as the middle of its bin; 0 if empty. */
export function percentile({ count, min, max, bins }: LatencyHistogram, percent: number): number {
  const rank = Math.ceil((percent * count) / 100);
  let seen = 0;
  for (let bin = 0; bin < bins.length; bin++) {
    seen += bins[bin]!;
    if (seen >= rank) return Math.min(Math.max(middleOf(bin), min), max);
  }
  return 0;
}

/**
 * Encodes as varints: sum, min, max - min, then for each non-empty bin, ascending, the number of empty bins before it
 * and its number of values less one. Empty text for an empty histogram. An hour of 60 results takes 28, 45 or 83 bytes
 * with steady, usual or wide latencies, a day of 1,440 results 42, 91 or 236; base64url adds a third.
 */
export function encodeHistogram({ count, sum, min, max, bins }: LatencyHistogram): string {
  if (count === 0) return '';
  const numbers = [sum, min, max - min];
  let empty = 0;
  for (const values of bins) {
    if (values > 0) numbers.push(empty, values - 1);
    empty = values > 0 ? 0 : empty + 1;
  }
  return encodeVarints(numbers);
}

/** Decodes `encodeHistogram`. Throws an Error if the text is not valid. */
export function decodeHistogram(text: string): LatencyHistogram {
  const histogram = emptyHistogram();
  if (text === '') return histogram;
  const numbers = decodeVarints(text);
  if (numbers.length < 5 || numbers.length % 2 === 0) throw new Error(`"${text}" is not a latency histogram.`);
  for (let i = 3; i < numbers.length; i += 2) {
    const values = numbers[i + 1]! + 1;
    addValues(histogram, histogram.bins.length + numbers[i]!, values);
    histogram.count += values;
  }
  histogram.sum = numbers[0]!;
  histogram.min = numbers[1]!;
  histogram.max = histogram.min + numbers[2]!;
  return histogram;
}

// Binary search: a logarithm might differ between machines at a bound.
function binOf(value: number): number {
  if (value < 1) return 0;
  let low = 0;
  let high = UPPER_BOUNDS.length - 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (UPPER_BOUNDS[middle]! < value) low = middle + 1;
    else high = middle;
  }
  return low + 1;
}

/** Returns the whole number with the same relative error to both bounds of a bin: at most 2.17 % and its rounding. */
function middleOf(bin: number): number {
  if (bin < 2) return bin;
  const [min, max] = [UPPER_BOUNDS[bin - 2]! + 1, UPPER_BOUNDS[bin - 1]!];
  return Math.round((2 * min * max) / (min + max));
}

function addValues({ bins }: LatencyHistogram, bin: number, values: number): void {
  while (bins.length <= bin) bins.push(0);
  bins[bin]! += values;
}
