import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type BucketList,
  type BucketQuery,
  BucketSize,
  keptDays,
  listBuckets,
  startOf,
} from '#lib/history/rollups/buckets.ts';
import { iso } from '#lib/platform/time.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const at = (text: string) => Date.parse(`${text}Z`);
const NOW = at('2026-11-21T09:30');

/** Lists buckets; throws on an error. */
function listed(query: BucketQuery, now = NOW, rollupDays = 400): BucketList {
  const list = listBuckets(query, { now, rollupDays });
  if ('wrong' in list) throw new Error(`${list.wrong.path} ${list.wrong.message}`);
  return list;
}

/** Returns the range, the number of buckets, and the starts of the second and the last bucket. */
function bucketsOf(query: BucketQuery, now = NOW) {
  const { from, to, buckets } = listed(query, now);
  return [iso(from), iso(to), buckets.length, iso(buckets[1]!.from), iso(buckets.at(-1)!.from)].map((one) =>
    typeof one === 'string' ? one.replace(':00.000Z', '') : one,
  );
}

describe('the buckets of a history', () => {
  it('default to the last 24 hours, 30 days or 12 months, including the current bucket', () => {
    expect(bucketsOf({ bucket: 'hour' })).toEqual([
      '2026-11-20T09:00',
      '2026-11-21T09:30',
      25,
      '2026-11-20T10:00',
      '2026-11-21T09:00',
    ]);
    expect(bucketsOf({ bucket: 'day' })).toEqual([
      '2026-10-22T00:00',
      '2026-11-21T09:30',
      31,
      '2026-10-23T00:00',
      '2026-11-21T00:00',
    ]);
    expect(bucketsOf({ bucket: 'month' })).toEqual([
      '2025-11-01T00:00',
      '2026-11-21T09:30',
      13,
      '2025-12-01T00:00',
      '2026-11-01T00:00',
    ]);
  });

  it('are widened to whole buckets', () => {
    expect(bucketsOf({ bucket: 'day', from: at('2026-02-26T23:59'), to: at('2026-03-01T00:01') })).toEqual([
      '2026-02-26T00:00',
      '2026-03-02T00:00',
      4,
      '2026-02-27T00:00',
      '2026-03-01T00:00',
    ]);
    const { from, to, buckets } = listed({ bucket: 'hour', from: at('2026-11-20T05:00'), to: at('2026-11-20T06:00') });
    expect(buckets).toEqual([{ from, to }]);
  });

  it('start where the kept time starts; the first month starts with its first kept day', () => {
    const from = at('2020-01-01');
    expect(listed({ bucket: 'hour', from, to: at('2026-08-24') }).from).toBe(at('2026-08-23T10:00'));
    expect(listed({ bucket: 'day', from }).from).toBe(at('2025-10-18'));
    expect(listed({ bucket: 'month', from }).buckets[0]).toEqual({ from: at('2025-10-18'), to: at('2025-11-01') });
    expect(listed({ bucket: 'month', from, to: at('2025-10-02') }).buckets).toEqual([
      { from: at('2025-10-18'), to: at('2025-11-01') },
    ]);
    expect(listed({ bucket: 'day', from }, NOW, 7).from).toBe(at('2026-11-15'));
  });

  it('go back as far as rollups are kept, for hours at most 90 days', () => {
    const from = at('2020-01-01');
    const begin = (bucket: BucketSize, rollupDays: number) =>
      iso(listed({ bucket, from, to: NOW - 29 * DAY_MS }, NOW, rollupDays).from).slice(0, 13);
    expect([30, 400, 990].map((days) => begin('day', days))).toEqual([
      '2026-10-23T00',
      '2025-10-18T00',
      '2024-03-07T00',
    ]);
    expect(begin('month', 990)).toBe('2024-03-07T00');
    expect(begin('hour', 30)).toBe('2026-10-22T10');
    expect(() => listed({ bucket: 'hour', from, to: at('2026-08-23T10:00') }, NOW, 1100)).toThrow('goes back 90 days');
    expect(() => listed({ bucket: 'day', from }, NOW, 1100)).toThrow(
      'is 1100 buckets of one day, more than 1000: request at most 1000 days, or use bucket=month',
    );
  });

  it('end now, not in the future', () => {
    expect(listed({ bucket: 'day', to: at('2027-01-01') })).toEqual(listed({ bucket: 'day' }));
    expect(listed({ bucket: 'hour' }, at('2026-11-21T09:00')).buckets).toHaveLength(24);
  });
});

describe('a history with an invalid range', () => {
  const wrong = (query: BucketQuery) => listBuckets(query, { now: NOW, rollupDays: 400 });

  it.each([
    ['from after to', { bucket: 'day', from: at('2026-11-02'), to: at('2026-11-01') }, 'from', 'must be before to'],
    ['from at to', { bucket: 'day', from: at('2026-11-01'), to: at('2026-11-01') }, 'from', 'must be before to'],
    [
      'from in the future',
      { bucket: 'day', from: NOW, to: NOW + 1 },
      'from',
      'must be in the past; now is 2026-11-21T',
    ],
    [
      'all before the kept time',
      { bucket: 'hour', from: at('2026-08-01'), to: at('2026-08-23T10:00') },
      'to',
      'must be after 2026-08-23T10:00:00.000Z; bucket=hour goes back 90 days',
    ],
    [
      'more than 1,000 hours',
      { bucket: 'hour', from: at('2026-10-01') },
      'from',
      'is 1234 buckets of one hour, more than 1000: request at most 41 days, or use bucket=day',
    ],
  ] as const)('returns an error with the limits: %s', (_, query, path, message) => {
    expect(wrong(query)).toEqual({ wrong: { path, message: expect.stringContaining(message) } });
  });

  it('allows 41 days of hours, the maximum that the error states', () => {
    const to = at('2026-11-20T12:34:56');
    expect(listed({ bucket: 'hour', from: to - 41 * DAY_MS, to }).buckets).toHaveLength(985);
  });
});

describe('a history with any range', () => {
  it('is covered by contiguous buckets at bucket borders', () => {
    const instant = fc.integer({ min: NOW - 1200 * DAY_MS, max: NOW + DAY_MS });
    const bucket = fc.constantFrom(...BucketSize.options);
    const days = fc.constantFrom(30, 91, 400, 1100);
    fc.assert(
      fc.property(bucket, instant, instant, days, (size, a, b, rollupDays) => {
        const [from, to] = [Math.min(a, b), Math.max(a, b)];
        const kept = keptDays(size, rollupDays);
        const list = listBuckets({ bucket: size, from, to }, { now: NOW, rollupDays });
        if ('wrong' in list) {
          const isFar = to <= NOW - (kept - 1) * DAY_MS;
          const isLong = size !== 'month' && to - from > (size === 'hour' ? 41 : 998) * DAY_MS;
          expect(isFar || isLong || from === to || from >= NOW).toBe(true);
          return;
        }
        const { buckets } = list;
        expect(buckets.length).toBeLessThanOrEqual(1000);
        expect([buckets[0]!.from, buckets.at(-1)!.to]).toEqual([list.from, list.to]);
        for (const [i, { from: begin, to: end }] of buckets.entries()) {
          expect(begin).toBeLessThan(end);
          if (i > 0) expect([begin, begin]).toEqual([buckets[i - 1]!.to, startOf(size, begin)]);
          expect(startOf(size, end - 1)).toBe(startOf(size, begin));
        }
        expect(list.from).toBeGreaterThanOrEqual(NOW - kept * DAY_MS);
        expect(list.from).toBeLessThanOrEqual(Math.max(from, NOW - (kept - 1) * DAY_MS));
        expect(list.to).toBeGreaterThanOrEqual(Math.min(to, NOW));
        expect(list.to).toBeLessThanOrEqual(NOW);
      }),
      { numRuns: 500 },
    );
  });
});
