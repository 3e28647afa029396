import { describe, expect, it } from 'vitest';
import { pagesWithTables, tableNamesIn, withTables } from '#infra/docs/pages.ts';

const TABLES = { fruit: '| fruit |\n| --- |\n| apple |', roots: '| root |\n| --- |\n| beet |' };
const page = (...parts: string[]) => ['# Food', '', ...parts, '', 'The end.', ''].join('\n');

describe('withTables', () => {
  it('writes each table between its markers and keeps other text', () => {
    const empty = page('<!-- table: fruit -->', '<!-- /table -->', 'Then:', '<!-- table: roots -->', '<!-- /table -->');
    const written = withTables(empty, TABLES);
    expect(written).toBe(
      page(
        `<!-- table: fruit -->\n${TABLES.fruit}\n<!-- /table -->`,
        'Then:',
        `<!-- table: roots -->\n${TABLES.roots}\n<!-- /table -->`,
      ),
    );
    expect(tableNamesIn(written)).toEqual(['fruit', 'roots']);
    expect(withTables(written, TABLES)).toBe(written);
    expect(withTables(written, { ...TABLES, fruit: '$& none' })).toContain('<!-- table: fruit -->\n$& none\n<!--');
  });

  it.each([
    ['a table that does not exist', page('<!-- table: nuts -->', '<!-- /table -->'), 'The table nuts does not exist'],
    ['a marker that is not closed', page('<!-- table: fruit -->', 'text'), 'not closed'],
    [
      'a marker closed by the next one',
      page('<!-- table: fruit -->', '<!-- table: roots -->', '<!-- /table -->'),
      'not closed',
    ],
  ])('rejects %s', (_name, text, message) => {
    expect(() => withTables(text, TABLES)).toThrow(message);
  });
});

describe('pagesWithTables', () => {
  const fruit = page('<!-- table: fruit -->', '<!-- /table -->');
  const roots = page('<!-- table: roots -->', '<!-- /table -->');

  it('writes the tables of every page', () => {
    const pages = new Map([
      ['docs/use/fruit', fruit],
      ['docs/use/roots', roots],
    ]);
    expect(pagesWithTables(pages, TABLES)).toEqual({
      'docs/use/fruit': withTables(fruit, TABLES),
      'docs/use/roots': withTables(roots, TABLES),
    });
  });

  it('rejects a table without a page, and shows the markers to add', () => {
    expect(() => pagesWithTables(new Map([['docs/use/fruit', fruit]]), TABLES)).toThrow(
      'No page of docs/ has these tables. Add their markers to a page:\n<!-- table: roots -->\n<!-- /table -->',
    );
  });
});
