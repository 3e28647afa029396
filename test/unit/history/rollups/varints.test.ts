import fc from 'fast-check';
import { expect, it } from 'vitest';
import { decodeVarints, encodeVarints } from '#lib/history/rollups/latency-histogram.ts';

it('encodes every safe integer from 0, and numbers up to 127 in one byte', () => {
  fc.assert(
    fc.property(fc.array(fc.maxSafeNat()), (numbers) => {
      expect(decodeVarints(encodeVarints(numbers))).toEqual(numbers);
    }),
  );
  expect(decodeVarints(encodeVarints([0, 127, 128, 2 ** 32, Number.MAX_SAFE_INTEGER]))).toEqual([
    0,
    127,
    128,
    2 ** 32,
    Number.MAX_SAFE_INTEGER,
  ]);
  expect(Buffer.from(encodeVarints([1, 127, 128]), 'base64url')).toEqual(Buffer.from([1, 127, 0x80, 1]));
});

it('rejects a text that ends within a number', () => {
  expect(() => decodeVarints(Buffer.from([1, 0x80]).toString('base64url'))).toThrow('truncated');
});
