import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Field } from '#console/api/records.ts';
import { changedOnly, rowsWithWords, valueText } from '#console/rules/catalog.ts';
import { parseCsv } from '#console/rules/csv.ts';
import { readEntities, remaining } from '#console/rules/entity-rows.ts';
import { moved } from '#console/rules/field-order.ts';
import { webUrl } from '#console/rules/web-url.ts';
import { toCsv } from '#lib/platform/csv.ts';
import { entity } from './world.ts';

const field = (name: string, sort_order: number, field_type: Field['field_type'] = 'string'): Field => ({
  name,
  field_type,
  required: false,
  sort_order,
});

describe('parseCsv', () => {
  it('parses what toCsv writes, including quotes and line breaks', () => {
    const cell = fc.string({ unit: fc.constantFrom('a', '"', ',', ';', '\n', '\r\n', '\t', ' ', 'é') });
    // Blank lines are skipped, and the first line decides the separator.
    const row = fc.array(cell, { minLength: 2, maxLength: 4 }).map((cells) => ['slug', ...cells]);
    fc.assert(
      fc.property(fc.array(row, { minLength: 1, maxLength: 5 }), (rows) => {
        const table = [['slug', 'b', 'c'], ...rows];
        expect(parseCsv(toCsv(table)).map(({ cells }) => cells)).toEqual(table);
      }),
    );
  });

  it.each([
    ['commas', 'slug,name\na,b', ['a', 'b']],
    ['semicolons', 'slug;name\r\na;b, c', ['a', 'b, c']],
    ['tabs', 'slug\tname\na\tb;c\n\n', ['a', 'b;c']],
  ])('accepts %s', (_name, text, cells) => {
    expect(parseCsv(text)[1]!.cells).toEqual(cells);
  });

  it('returns line numbers, also after a quoted line break', () => {
    const lines = parseCsv('slug,name\na,"two\nlines"\n\nb,c');
    expect(lines.map(({ line }) => line)).toEqual([1, 2, 5]);
    expect(() => parseCsv('slug\n"a')).toThrow('Line 2');
    expect(() => parseCsv('slug,name\na,"two\nlines" more')).toThrow('Line 3: text after a closing quote');
  });
});

describe('readEntities', () => {
  const FIELDS = [field('tier', 0, 'number'), field('tags', 1, 'array'), field('on', 2, 'boolean')];
  const read = (text: string, taken: string[] = []) => readEntities(text, FIELDS, new Set(taken));

  it('converts cells to the types of the fields, and keeps invalid cells, so that the API reports them', () => {
    const { rows } = read('slug,name,tier,tags,on\na,A,1,"x; y",TRUE\nb,,high,"[1]",maybe\nc');
    expect(rows.map(({ body }) => body)).toEqual([
      { slug: 'a', name: 'A', fields: { tier: 1, tags: ['x', 'y'], on: true } },
      { slug: 'b', name: 'b', fields: { tier: 'high', tags: [1], on: 'maybe' } },
      { slug: 'c', name: 'c', fields: {} },
    ]);
    expect(rows.every(({ why }) => why === undefined)).toBe(true);
  });

  it('reports invalid lines with a reason', () => {
    const { rows } = read('slug,tier\na,1\na,2\ntaken,3\n,4\nb,5,6', ['taken']);
    expect(rows.map(({ line, why }) => [line, why?.split(' ').slice(0, 3).join(' ')])).toEqual([
      [2, undefined],
      [3, 'A line above'],
      [4, 'An entity with'],
      [5, 'The slug is'],
      [6, '3 cells for'],
    ]);
  });

  it.each([
    ['without a slug', 'name\na', /slug/],
    ['with an unknown column', 'slug,color\na,b', /color.*tier, tags, on/],
    ['with a duplicate column', 'slug,tier,tier\na,1,2', /Duplicate column: tier/],
  ])('rejects a table %s', (_name, text, why) => {
    const { rows, wrong } = read(text);
    expect([rows, wrong]).toEqual([[], expect.stringMatching(why)]);
  });

  it('writes the remaining lines as a table', () => {
    const { header, rows } = read('slug;name;tags\na;"A, B";"x; y"\nb;B;');
    const again = read(remaining(header, rows));
    expect(again.rows.map(({ body }) => body)).toEqual(rows.map(({ body }) => body));
    expect(remaining(header, [])).toBe('');
  });
});

describe('moved', () => {
  const inOrder = (fields: readonly Field[]) =>
    fields.toSorted((a, b) => a.sort_order - b.sort_order).map(({ name }) => name);

  it('swaps a field with its neighbor for any sort orders', () => {
    const orders = fc.array(fc.integer({ min: -3, max: 3 }), { minLength: 2, maxLength: 8 });
    fc.assert(
      fc.property(orders, fc.nat(), fc.constantFrom<-1 | 1>(-1, 1), (numbers, n, step) => {
        const fields = numbers.toSorted((a, b) => a - b).map((order, i) => field(`f${i}`, order));
        const at = n % fields.length;
        const to = at + step;
        const changes = moved(fields, `f${at}`, step);
        if (to < 0 || to >= fields.length) {
          expect(changes).toEqual([]);
          return;
        }
        const after = fields.map((one) => changes.find(({ name }) => name === one.name) ?? one);
        const names = fields.map(({ name }) => name);
        expect(inOrder(after)).toEqual(names.with(at, names[to]!).with(to, names[at]!));
      }),
    );
  });

  it('changes two fields if that is sufficient', () => {
    const fields = ['a', 'b', 'c'].map((name, i) => field(name, i));
    expect(moved(fields, 'c', -1).map(({ name, sort_order }) => [name, sort_order])).toEqual([
      ['c', 1],
      ['b', 2],
    ]);
  });
});

describe('field value', () => {
  it.each([
    'javascript:alert(1)',
    'data:text/html,x',
    'ftp://a.example',
    'https://',
    ' https://a.example',
    'a.example',
    7,
  ])('is not a link: %s', (value) => {
    expect(webUrl(value)).toBeUndefined();
  });

  it('is a link if it is an HTTP or HTTPS URL', () => {
    for (const url of ['https://a.example/b?c#d', 'HTTP://a.example']) expect(webUrl(url)).toBe(url);
  });

  it('is shown and searched as text', () => {
    expect([['a', true, 1], false, undefined, 0].map(valueText)).toEqual(['a, yes, 1', 'no', '', '0']);
    const rows = [entity('a', { fields: { owner: 'Data team' } }), entity('b', { fields: { tags: ['EU', 'web'] } })];
    expect(rowsWithWords(rows, 'team data').map(({ id }) => id)).toEqual(['a']);
    expect(rowsWithWords(rows, 'web eu').map(({ id }) => id)).toEqual(['b']);
    expect(rowsWithWords(rows, ' ')).toBe(rows);
    const labeled = [entity('c', { labels: { team: 'payments' } }), entity('d')];
    expect(rowsWithWords(labeled, 'team:pay').map(({ id }) => id)).toEqual(['c']);
  });
});

describe('changedOnly', () => {
  it('returns only changed properties, and no defaults', () => {
    const shown = { name: 'Shop', fields: { tier: 2, tags: ['a'], owner: 'ann' }, labels: { team: 'a', tier: '1' } };
    const body = { name: 'Shop', fields: { tier: 2, tags: ['a', 'b'], owner: null } };
    expect(changedOnly(body, shown)).toEqual({ fields: { tags: ['a', 'b'], owner: null } });
    expect(changedOnly({ name: 'New' }, shown)).toEqual({ name: 'New' });
    expect(changedOnly({ ...shown }, shown)).toEqual({});
    const labels = { team: 'b', region: 'eu' };
    expect(changedOnly({ ...shown, labels }, shown)).toEqual({ labels: { team: 'b', region: 'eu', tier: null } });
  });
});
