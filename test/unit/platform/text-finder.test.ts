import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hasText, TextFinder } from '#lib/platform/text-finder.ts';

/** Of two letters, so that beginnings of the text come again and again. */
const letters = fc.string({ unit: fc.constantFrom('a', 'b', 'ü'), maxLength: 12 });
const longer = fc.string({ unit: fc.constantFrom('a', 'b', 'ü'), maxLength: 200 });

describe('a text that is looked for', () => {
  it('is found exactly where includes finds it, in short texts and long ones', () => {
    fc.assert(
      fc.property(longer, letters, fc.constantFrom(1, 1_000), (part, wanted, times) => {
        const text = part.repeat(times);
        expect(hasText(text, wanted)).toBe(text.includes(wanted));
      }),
    );
  });

  it('is found however the other comes in pieces', () => {
    fc.assert(
      fc.property(fc.array(letters), letters, (pieces, wanted) => {
        const finder = new TextFinder(wanted);
        for (const piece of pieces) finder.take(piece);
        expect(finder.isFound).toBe(pieces.join('').includes(wanted));
      }),
    );
  });

  it('is looked for in so many steps as there are characters, where includes takes thousands of times as many', () => {
    const text = 'a'.repeat(1024 * 1024);
    const worst = `b${'a'.repeat(4095)}`;
    expect([hasText(text, worst), hasText(text, `${'a'.repeat(4095)}b`)]).toEqual([false, false]);
  });
});
