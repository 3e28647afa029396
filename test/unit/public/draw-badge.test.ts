import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { badgeSvg, STYLES, textWidth } from '#lib/public/badges/draw-badge.ts';

const label = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 40 });
const style = fc.constantFrom(...STYLES);

describe('badgeSvg', () => {
  it('shows a hostile label as text', () => {
    const svg = badgeSvg({ label: '</title><script>1</script>&x', message: '<b>', color: 'red' }, 'flat');
    expect(svg.match(/<[a-zA-Z]+/g)).toEqual([
      '<svg',
      '<title',
      '<clipPath',
      '<rect',
      '<g',
      '<path',
      '<path',
      '<g',
      '<text',
      '<text',
    ]);
    expect(svg).toContain('<title>&lt;/title&gt;&lt;script&gt;1&lt;/script&gt;&amp;x: &lt;b&gt;</title>');
  });

  it('is at most 1.2 KB for a label of 40 Latin letters', () => {
    for (const one of STYLES) {
      const svg = badgeSvg({ label: 'W'.repeat(40), message: 'partial outage', color: 'lightgrey' }, one);
      expect(Buffer.byteLength(svg)).toBeLessThanOrEqual(1200);
    }
  });

  it('is as wide as its two texts and their padding, for every label', () => {
    fc.assert(
      fc.property(label, style, (text, one) => {
        const [, width] = /width="(\d+)"/.exec(badgeSvg({ label: text, message: 'up', color: 'green' }, one))!;
        expect(Number(width)).toBe(Math.round(textWidth(text)) + Math.round(textWidth('up')) + 20);
      }),
    );
  });
});

describe('textWidth', () => {
  it('sums the widths of characters, and counts East Asian characters and emoji as wide', () => {
    expect(textWidth('up')).toBeCloseTo(13.9);
    expect(textWidth('é')).toBe(textWidth('e'));
    expect(textWidth('店')).toBe(11);
    expect(textWidth('👩‍👩‍👧')).toBe(textWidth('🚀'));
  });
});
