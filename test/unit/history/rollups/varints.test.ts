import fc from 'fast-check';
import { expect, it } from 'vitest';
import { varintsOf, varintText } from '#lib/history/rollups/latency-histogram.ts';

it('encodes every safe integer, up to 127 in one byte', () => {
  fc.assert(
    fc.property(fc.array(fc.maxSafeNat()), (numbers) => {
      expect(varintsOf(varintText(numbers))).toEqual(numbers);
    }),
  );
  expect(varintsOf(varintText([0, 127, 128, 2 ** 32, Number.MAX_SAFE_INTEGER]))).toEqual([
    0,
    127,
    128,
    2 ** 32,
    Number.MAX_SAFE_INTEGER,
  ]);
  expect(Buffer.from(varintText([1, 127, 128]), 'base64url')).toEqual(Buffer.from([1, 127, 0x80, 1]));
});

it('rejects a text that ends within a number', () => {
  expect(() => varintsOf(Buffer.from([1, 0x80]).toString('base64url'))).toThrow('truncated');
});
