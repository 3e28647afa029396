import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { changesOf, fitted } from '#lib/audit/diff.ts';

/** Lists the changes between records without secrets. */
const differ = (before: unknown, after: unknown) =>
  changesOf({ real: before, shown: before }, { real: after, shown: after });

describe('changesOf', () => {
  it('lists changes by property, with dotted paths', () => {
    expect(
      differ(
        { name: 'shop', config: { host: 'a', port: 1 }, kept: [1] },
        { name: 'store', config: { host: 'a', port: 2 }, kept: [1] },
      ),
    ).toEqual([
      { path: 'name', from: 'shop', to: 'store' },
      { path: 'config.port', from: 1, to: 2 },
    ]);
  });

  it('compares a list as a whole', () => {
    expect(differ({ fields: [{ a: 1 }, { b: 2 }] }, { fields: [{ a: 1 }] })).toEqual([
      { path: 'fields', from: [{ a: 1 }, { b: 2 }], to: [{ a: 1 }] },
    ]);
  });

  it('uses null for absent properties, also of a new or deleted record', () => {
    const record = { name: 'shop', config: { host: 'a' }, empty: {} };
    expect(differ(undefined, record)).toEqual([
      { path: 'name', from: null, to: 'shop' },
      { path: 'config.host', from: null, to: 'a' },
    ]);
    expect(differ(record, undefined)).toEqual([
      { path: 'name', from: 'shop', to: null },
      { path: 'config.host', from: 'a', to: null },
    ]);
  });

  it('hides secrets on both sides', () => {
    const shown = { url: '********', headers: { a: '********', b: '********' } };
    const before = { real: { url: 'x', headers: { a: '1', b: '2' } }, shown };
    const after = { real: { url: 'y', headers: { a: '1', b: '3' } }, shown };
    expect(changesOf(before, after)).toEqual([
      { path: 'url', from: '********', to: '********' },
      { path: 'headers.b', from: '********', to: '********' },
    ]);
  });

  it('lists no properties of an object that is shown as one secret', () => {
    const side = (secret: string) => ({
      real: { auth: { user: { name: secret } } },
      shown: { auth: { user: '********' } },
    });
    expect(changesOf(side('a'), side('b'))).toEqual([{ path: 'auth.user', from: '********', to: '********' }]);
  });

  it('hides the value of a property that is never shown', () => {
    expect(changesOf({ real: { a: 1 }, shown: {} }, { real: { a: 2 }, shown: {} })).toEqual([
      { path: 'a', from: '********', to: '********' },
    ]);
  });

  it('finds no changes between equal records', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(differ(value, structuredClone(value))).toEqual([]);
      }),
    );
  });

  it('finds the inverse of each change in the other direction', () => {
    const record = fc.dictionary(fc.string(), fc.jsonValue());
    fc.assert(
      fc.property(record, record, (before, after) => {
        const inverted = differ(after, before).map(({ path, from, to }) => ({ path, from: to, to: from }));
        const inOrder = (changes: object[]) => changes.map((change) => JSON.stringify(change)).toSorted();
        expect(inOrder(inverted)).toEqual(inOrder(differ(before, after)));
      }),
    );
  });

  it('cuts long texts, also in a list', () => {
    const long = 'x'.repeat(500);
    const [one, list] = differ({ a: '', b: [] }, { a: long, b: [long, { c: long }] });
    expect(one!.to).toHaveLength(200);
    expect(list!.to).toEqual([expect.stringMatching(/^x{199}…$/), { c: expect.stringMatching(/^x{199}…$/) }]);
  });

  it('shows a list as text if it is nested too deeply for a table', () => {
    const deep = (levels: number): unknown => (levels === 0 ? 1 : [deep(levels - 1)]);
    expect(differ({ a: 1 }, { a: deep(30) })).toEqual([{ path: 'a', from: 1, to: [[[[[[expect.any(String)]]]]]] }]);
  });

  it('lists properties with any name', () => {
    const odd = JSON.parse('{"__proto__": "1", "constructor": "2", "a.b": "3"}');
    expect(differ({}, odd).map(({ path }) => path)).toEqual(['__proto__', 'constructor', 'a.b']);
  });
});

describe('fitted', () => {
  const change = (i: number, size = 1) => ({ path: `p${i}`, from: null, to: 'x'.repeat(size) });

  it('keeps at most 50 changes and counts the others', () => {
    const all = Array.from({ length: 63 }, (_, i) => change(i));
    expect(fitted(all, 1e6)).toEqual({ changes: all.slice(0, 50), more_changes: 13 });
  });

  it('keeps each change that fits, even after one that does not', () => {
    const all = [change(1, 100), change(2, 900), change(3, 100)];
    expect(fitted(all, 400)).toEqual({ changes: [all[0], all[2]], more_changes: 1 });
  });
});
