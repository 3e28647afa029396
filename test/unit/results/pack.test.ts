import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ErrorKind } from '#lib/checks/types/registry.ts';
import {
  entryOf,
  type PackedEntry,
  type PackedGap,
  type PackedResult,
  type PackItem,
  packOf,
} from '#lib/results/pack.ts';
import { entriesOf } from '#test/support/pack-entries.ts';

const error = fc.record({
  kind: fc.constantFrom<ErrorKind | null>('timeout', 'status', 'connect', null),
  message: fc.constantFrom('', 'no answer within 5000 ms', 'status 503, expected 200', 'wants a space, and é'),
});
const run: fc.Arbitrary<PackedResult> = fc
  .record({
    number: fc.nat(3000),
    // The clock of the sender may be ahead of the prober's.
    begin: fc.integer({ min: -500, max: 90_000 }),
    latency_ms: fc.nat(30_000),
    status_code: fc.constantFrom(0, 200, 204, 301, 503),
    rev: fc.constantFrom(1, 2, 17),
    failure: fc.option(error, { nil: undefined }),
    warning: fc.constantFrom('', '', 'expected latency_ms to be less than 800, got {latency_ms}', 'renew it, by 2026'),
  })
  .map(({ failure, warning, ...rest }) => ({
    ...rest,
    success: !failure,
    ...(failure && { error: failure }),
    ...(warning && { warning_message: warning }),
  }));
const gap: fc.Arbitrary<PackedGap> = fc.record({
  number: fc.nat(3000),
  gap: fc.constantFrom('network' as const, 'error' as const),
});
const entries: fc.Arbitrary<PackedEntry[]> = fc.uniqueArray(fc.oneof({ arbitrary: run, weight: 4 }, gap), {
  minLength: 1,
  maxLength: 50,
  selector: ({ number }) => number,
});

/** Returns the pack of entries as the table returns it. */
const stored = (list: PackedEntry[]): PackItem => JSON.parse(JSON.stringify({ pk: 'p', sk: 's', ...packOf(list) }));

const success = (number: number, more: Partial<PackedResult> = {}): PackedResult => {
  return { number, begin: 4, latency_ms: 84, status_code: 200, rev: 1, success: true, ...more };
};

describe('a pack', () => {
  it('returns exactly its entries, all together and for each check', () => {
    fc.assert(
      fc.property(entries, fc.nat(3000), (list, other) => {
        const pack = stored(list);
        expect(entriesOf(pack)).toEqual(list.toSorted((a, b) => a.number - b.number));
        for (const entry of list) expect(entryOf(pack, entry.number)).toEqual(entry);
        expect(entryOf(pack, other)).toEqual(list.find(({ number }) => number === other));
      }),
    );
  });

  it('is ordered by number, whatever the order of the checks', () => {
    const list = [success(12), success(2, { latency_ms: 12 }), success(112, { status_code: 503 })];
    expect(packOf(list).runs).toBe('2,4,12 12,4,84 112,4,84,s503');
    expect(packOf(list.toReversed())).toEqual(packOf(list));
  });

  it('does not confuse a number with one that starts or ends like it', () => {
    const pack = stored([success(112, { latency_ms: 2 }), success(120, { begin: 12 }), success(1212)]);
    for (const number of [0, 1, 2, 12, 11, 20, 121, 212]) expect(entryOf(pack, number)).toBeUndefined();
    const all = stored([success(2, { begin: 12 }), success(12, { begin: 2 }), success(112, { begin: 12 })]);
    expect([2, 12, 112].map((number) => entryOf(all, number))).toMatchObject([
      { number: 2, begin: 12 },
      { number: 12, begin: 2 },
      { number: 112, begin: 12 },
    ]);
  });

  it('has at most 15 bytes for an ordinary success, and 50 of them in under 1 KB', () => {
    const begin = fc.integer({ min: 0, max: 999 });
    const latency_ms = fc.integer({ min: 0, max: 1999 });
    const rev = fc.constantFrom(1, 1, 1, 2, 9);
    const ordinary = fc.tuple(begin, latency_ms, rev);
    fc.assert(
      fc.property(fc.array(ordinary, { minLength: 50, maxLength: 50 }), (list) => {
        const fifty = list.map(([begin, latency_ms, rev], number) => success(number, { begin, latency_ms, rev }));
        const { runs } = packOf(fifty);
        for (const word of runs.split(' ')) expect(word.length + 1).toBeLessThanOrEqual(15);
        const key = { pk: `T#acc_${'x'.repeat(26)}#PACKS#${'y'.repeat(12)}#60`, sk: '1795219200000#1' };
        expect(JSON.stringify({ ...key, expires_at: 1_795_219_200, ...packOf(fifty) }).length).toBeLessThan(1000);
      }),
    );
  });

  it('stores an error once for all checks that have it', () => {
    const refused = { kind: 'connect' as const, message: 'connection refused' };
    const down = Array.from({ length: 50 }, (_, number) =>
      success(number, { success: false, status_code: 0, error: { ...refused } }),
    );
    expect(packOf(down)).toMatchObject({ status: 0, errors: [refused] });
    expect(JSON.stringify(packOf(down)).length).toBeLessThan(1000);
  });
});
