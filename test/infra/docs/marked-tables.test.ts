import { describe, expect, it } from 'vitest';
import { markdownTable, markedSection } from '#infra/docs/marked-tables.ts';

const page = 'Before.\n\n<!-- table: one -->\nold\n<!-- /table -->\n\n<!-- table: two -->\n<!-- /table -->\nAfter.\n';

describe('markedSection', () => {
  it('replaces the table of its name alone, and leaves the same page when applied again', () => {
    const once = markedSection(page, 'one', '| a |');
    expect(once).toBe(page.replace('\nold\n', '\n\n| a |\n\n'));
    expect(markedSection(once, 'one', '| a |')).toBe(once);
  });

  it.each([
    ['missing', 'three', page],
    ['there twice', 'one', page + page],
    ['not closed', 'two', page.slice(0, page.lastIndexOf('<!-- /table'))],
  ])('throws when the markers are %s', (_what, name, text) => {
    expect(() => markedSection(text, name, '')).toThrow(`the markers of the table ${name} once`);
  });
});

it('markdownTable keeps bars and line breaks inside their cell', () => {
  expect(markdownTable(['A', 'B'], [['a|b', 'c\nd']])).toBe('| A | B |\n| --- | --- |\n| a\\|b | c d |');
});
