import fc from 'fast-check';
import { expect, it } from 'vitest';
import { decodeSpans, encodeSpans } from '#lib/history/rollups/rollup-item.ts';
import { someSpans } from './some-figures.ts';

const HOUR = { from: 3_600_000, to: 7_200_000 };

it('encodes an hour in one state as a letter, and an outage with its length', () => {
  expect(encodeSpans([{ ...HOUR, as: 'up', in_maintenance: false }])).toBe('u');
  expect(decodeSpans('u1200000d60000u', HOUR)).toEqual([
    { from: 3_600_000, to: 4_800_000, as: 'up', in_maintenance: false },
    { from: 4_800_000, to: 4_860_000, as: 'down', in_maintenance: false },
    { from: 4_860_000, to: 7_200_000, as: 'up', in_maintenance: false },
  ]);
  expect(decodeSpans('D', HOUR)).toEqual([{ ...HOUR, as: 'down', in_maintenance: true }]);
});

it('decodes random spans of an hour', () => {
  fc.assert(
    fc.property(someSpans(HOUR), (spans) => {
      expect(decodeSpans(encodeSpans(spans), HOUR)).toEqual(spans);
    }),
  );
});

it.each(['', 'q', 'u60000', 'u0d', 'ud', 'u3600000d', 'u9999999d'])(
  'rejects %j, because it is malformed or does not fill the hour',
  (text) => {
    expect(() => decodeSpans(text, HOUR)).toThrow(/spans "/);
  },
);
