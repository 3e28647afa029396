import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hasText, TextFinder } from '#lib/platform/text-finder.ts';

/** Texts over an alphabet of three letters, so that prefixes recur. */
const letters = fc.string({ unit: fc.constantFrom('a', 'b', 'ü'), maxLength: 12 });
const longer = fc.string({ unit: fc.constantFrom('a', 'b', 'ü'), maxLength: 200 });

describe('TextFinder', () => {
  it('finds a text exactly if `includes` does, in short and long texts', () => {
    fc.assert(
      fc.property(longer, letters, fc.constantFrom(1, 1_000), (part, wanted, times) => {
        const text = part.repeat(times);
        expect(hasText(text, wanted)).toBe(text.includes(wanted));
      }),
    );
  });

  it('finds a text in any division into pieces', () => {
    fc.assert(
      fc.property(fc.array(letters), letters, (pieces, wanted) => {
        const finder = new TextFinder(wanted);
        for (const piece of pieces) finder.take(piece);
        expect(finder.isFound).toBe(pieces.join('').includes(wanted));
      }),
    );
  });

  it('takes one step per character of a text for which `includes` takes thousands', () => {
    const text = 'a'.repeat(1024 * 1024);
    const worst = `b${'a'.repeat(4095)}`;
    expect([hasText(text, worst), hasText(text, `${'a'.repeat(4095)}b`)]).toEqual([false, false]);
  });
});
