import { expect } from 'vitest';

// biome-ignore lint/suspicious/noExplicitAny: responses of every shape
export type Json = any;

/** Asserts the invariants of a bucket. */
function expectSound(bucket: Json): void {
  const { from, to, seconds, uptime, coverage, success_ratio, runs, failures } = bucket;
  const sum = Object.values<number>(seconds).reduce((total, one) => total + Math.round(one * 1000), 0);
  expect(sum).toBe(Date.parse(to) - Date.parse(from));
  const ratio = (part: number, whole: number) => (whole === 0 ? null : Math.floor((part / whole) * 1e6 + 1e-7) / 1e6);
  const { up, degraded, down, unknown, gap } = seconds;
  const near = (one: number | null, other: number | null) =>
    other === null ? expect(one).toBeNull() : expect(one).toBeCloseTo(other, 5);
  near(uptime, ratio(up + degraded, up + degraded + down));
  near(coverage, ratio(up + degraded + down, up + degraded + down + unknown + gap));
  near(success_ratio, ratio(runs - failures, runs));
  for (const one of [uptime, coverage, success_ratio]) expect(one ?? 0).toBe(Math.floor((one ?? 0) * 1e6 + 0.5) / 1e6);
}

/** Asserts the invariants of a history, of each of its buckets, and of their sum. */
export function expectWhole({ from, to, total, buckets }: Json): void {
  expect(buckets[0].from).toBe(from);
  expect(buckets.at(-1).to).toBe(to);
  expect(total).toMatchObject({ from, to, complete: buckets.every((bucket: Json) => bucket.complete) });
  for (const [i, bucket] of buckets.slice(1).entries()) expect(bucket.from).toBe(buckets[i].to);
  for (const bucket of [total, ...buckets]) expectSound(bucket);
  for (const count of ['runs', 'failures', 'warnings', 'gaps']) {
    expect(total[count]).toBe(buckets.reduce((sum: number, bucket: Json) => sum + bucket[count], 0));
  }
  for (const kind of Object.keys(total.seconds)) {
    const sum = buckets.reduce((all: number, bucket: Json) => all + bucket.seconds[kind], 0);
    expect(total.seconds[kind]).toBeCloseTo(sum, 3);
  }
}
