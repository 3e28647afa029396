import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { makeBuckets, networkOf } from '#lib/platform/sharing/memory-limiter.ts';
import {
  fullBucket,
  type Rate,
  rateListProblem,
  ratesIn,
  readRates,
  refilled,
  takeFrom,
} from '#lib/platform/sharing/rates.ts';

const rates = fc.record({ per_second: fc.integer({ min: 1, max: 1000 }), burst: fc.integer({ min: 1, max: 5000 }) });
/** Times between requests (ms), and requested tokens. */
const requests = fc.array(fc.tuple(fc.integer({ min: 0, max: 3000 }), fc.integer({ min: 1, max: 20 })), {
  minLength: 1,
  maxLength: 200,
});

/** Sends requests to one bucket. Returns the time, tokens and outcome of each. */
function run(rate: Rate, asked: [number, number][]) {
  let now = 1_000_000;
  let bucket = fullBucket(rate, now);
  return asked.map(([pause, count]) => {
    now += pause;
    const taken = takeFrom(refilled(bucket, rate, now), rate, count);
    bucket = taken.bucket;
    return { now, count: Math.min(count, rate.burst), ...taken.status };
  });
}

describe('a token bucket', () => {
  it('never grants more between two times than its burst and the refill', () => {
    fc.assert(
      fc.property(rates, requests, (rate, asked) => {
        const given = run(rate, asked);
        for (let from = 0; from < given.length; from++) {
          let sum = 0;
          for (let to = from; to < given.length; to++) {
            if (given[to]!.allowed) sum += given[to]!.count;
            const seconds = (given[to]!.now - given[from]!.now) / 1000;
            expect(sum).toBeLessThanOrEqual(rate.burst + seconds * rate.per_second + 1e-6);
          }
        }
      }),
    );
  });

  it('never refuses a client that stays within its rate', () => {
    fc.assert(
      fc.property(rates, fc.integer({ min: 1, max: 100 }), (rate, count) => {
        const pause = Math.ceil(1000 / rate.per_second);
        expect(
          run(
            rate,
            Array.from({ length: count }, () => [pause, 1]),
          ).every(({ allowed }) => allowed),
        ).toBe(true);
      }),
    );
  });

  it('grants refused tokens after `retry_s`, and is full after `reset_s`', () => {
    fc.assert(
      fc.property(rates, requests, (rate, asked) => {
        let now = 0;
        let bucket = fullBucket(rate, now);
        for (const [pause, count] of asked) {
          now += pause;
          const { bucket: next, status } = takeFrom(refilled(bucket, rate, now), rate, count);
          bucket = next;
          const later = now + status.retry_s * 1000;
          if (!status.allowed) expect(takeFrom(refilled(bucket, rate, later), rate, count).status.allowed).toBe(true);
          const full = refilled(bucket, rate, now + status.reset_s * 1000);
          expect(full.tokens).toBeCloseTo(rate.burst, 6);
        }
      }),
    );
  });

  it('continues from the current time if the clock was set back', () => {
    const rate = { per_second: 1, burst: 1 };
    const empty = takeFrom(fullBucket(rate, 10_000_000), rate).bucket;
    const back = refilled(empty, rate, 1000);
    expect(back.tokens).toBe(0);
    expect(refilled(back, rate, 2000).tokens).toBe(1);
  });

  it('grants all its tokens to a request for more than its burst', () => {
    const rate = { per_second: 1, burst: 5 };
    expect(takeFrom(fullBucket(rate, 0), rate, 50)).toMatchObject({
      bucket: { tokens: 0 },
      status: { allowed: true },
    });
    expect(takeFrom({ tokens: 4, at: 0 }, rate, 50).status).toMatchObject({ allowed: false, retry_s: 1 });
  });
});

describe('makeBuckets', () => {
  const rate = { per_second: 1, burst: 2 };

  it('keeps buckets independent', () => {
    const { take } = makeBuckets({ now: () => 0 }, 10);
    expect([take('a', rate), take('a', rate), take('a', rate), take('b', rate)].map(({ allowed }) => allowed)).toEqual([
      true,
      true,
      false,
      true,
    ]);
  });

  it('drops the least recently used buckets beyond the limit', () => {
    const buckets = makeBuckets({ now: () => 0 }, 3);
    for (let i = 0; i < 3; i++) buckets.take('busy', rate);
    for (let i = 0; i < 1000; i++) {
      buckets.take(`passer-by ${i}`, rate);
      expect(buckets.take('busy', rate).allowed).toBe(false);
    }
    expect(buckets.size()).toBe(3);
  });
});

describe('networkOf', () => {
  it.each([
    ['192.0.2.7', '192.0.2.7'],
    ['::ffff:192.0.2.7', '192.0.2.7'],
    ['2001:db8:1:2::1', '2001:db8:1:2::/64'],
    ['2001:db8:1:2:ffff::9', '2001:db8:1:2::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['', ''],
  ])('returns for %s: %s', (address, network) => {
    expect(networkOf(address)).toBe(network);
  });
});

describe('RATE_LIMITS', () => {
  it('replaces only the named rates', () => {
    const defaults = { push: { per_second: 1, burst: 2 }, send: { per_second: 3, burst: 4 } } as never;
    expect(ratesIn('push=1000/10000', defaults)).toEqual({
      push: { per_second: 1000, burst: 10_000 },
      send: { per_second: 3, burst: 4 },
    });
    expect(ratesIn('off', defaults)).toBeUndefined();
    expect(ratesIn('', {} as never)).toEqual({});
  });

  it.each([
    ['push', 'is not <class>=<per second>/<burst>'],
    ['push=5', 'is not <class>=<per second>/<burst>'],
    ['push=0/5', 'is not <class>=<per second>/<burst>'],
    ['push=5/5,', 'is not <class>=<per second>/<burst>'],
    ['pull=5/5', '"pull" is not a class; use one of read, write, push, mcp, send, store, open, sign-in'],
    ['push=5/5,push=6/6', '"push" is a duplicate'],
  ])('rejects %j with a message', (text, problem) => {
    expect(rateListProblem(text)).toContain(problem);
    expect(() => readRates(text, ['push'])).toThrow();
  });

  it.each(['', 'off', 'push=5/5', ' push=5/5 , sign-in=1/1'])('accepts %j', (text) => {
    expect(rateListProblem(text)).toBeUndefined();
  });
});
