import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { changesOf, fitted } from '#lib/audit/diff.ts';

/** Of records without secrets. */
const differ = (before: unknown, after: unknown) =>
  changesOf({ real: before, shown: before }, { real: after, shown: after });

describe('what differs between two records', () => {
  it('is told member by member, with dotted paths', () => {
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

  it('is a list as a whole, even where one of it differs', () => {
    expect(differ({ fields: [{ a: 1 }, { b: 2 }] }, { fields: [{ a: 1 }] })).toEqual([
      { path: 'fields', from: [{ a: 1 }, { b: 2 }], to: [{ a: 1 }] },
    ]);
  });

  it('is null where a member is not there, also all of a record that is new or gone', () => {
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

  it('is told of a secret without the secret, on both sides', () => {
    const shown = { url: '********', headers: { a: '********', b: '********' } };
    const before = { real: { url: 'x', headers: { a: '1', b: '2' } }, shown };
    const after = { real: { url: 'y', headers: { a: '1', b: '3' } }, shown };
    expect(changesOf(before, after)).toEqual([
      { path: 'url', from: '********', to: '********' },
      { path: 'headers.b', from: '********', to: '********' },
    ]);
  });

  it('is told of a map that is shown as one secret without a look into it', () => {
    const side = (secret: string) => ({
      real: { auth: { user: { name: secret } } },
      shown: { auth: { user: '********' } },
    });
    expect(changesOf(side('a'), side('b'))).toEqual([{ path: 'auth.user', from: '********', to: '********' }]);
  });

  it('is a secret where nothing of a member is shown', () => {
    expect(changesOf({ real: { a: 1 }, shown: {} }, { real: { a: 2 }, shown: {} })).toEqual([
      { path: 'a', from: '********', to: '********' },
    ]);
  });

  it('is nothing between what is the same', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(differ(value, structuredClone(value))).toEqual([]);
      }),
    );
  });

  it('is found in whatever differs, turned around the other way round', () => {
    const record = fc.dictionary(fc.string(), fc.jsonValue());
    fc.assert(
      fc.property(record, record, (before, after) => {
        const turned = differ(after, before).map(({ path, from, to }) => ({ path, from: to, to: from }));
        const inOrder = (changes: object[]) => changes.map((change) => JSON.stringify(change)).toSorted();
        expect(inOrder(turned)).toEqual(inOrder(differ(before, after)));
      }),
    );
  });

  it('is cut where a text is long, also within a list', () => {
    const long = 'x'.repeat(500);
    const [one, list] = differ({ a: '', b: [] }, { a: long, b: [long, { c: long }] });
    expect(one!.to).toHaveLength(200);
    expect(list!.to).toEqual([expect.stringMatching(/^x{199}…$/), { c: expect.stringMatching(/^x{199}…$/) }]);
  });

  it('is text where a list is nested deeper than a table could keep it', () => {
    const deep = (levels: number): unknown => (levels === 0 ? 1 : [deep(levels - 1)]);
    expect(differ({ a: 1 }, { a: deep(30) })).toEqual([{ path: 'a', from: 1, to: [[[[[[expect.any(String)]]]]]] }]);
  });

  it('is told of a member by any name', () => {
    const odd = JSON.parse('{"__proto__": "1", "constructor": "2", "a.b": "3"}');
    expect(differ({}, odd).map(({ path }) => path)).toEqual(['__proto__', 'constructor', 'a.b']);
  });
});

describe('the changes that there is room for', () => {
  const change = (i: number, size = 1) => ({ path: `p${i}`, from: null, to: 'x'.repeat(size) });

  it('are 50 at most; the others are counted', () => {
    const all = Array.from({ length: 63 }, (_, i) => change(i));
    expect(fitted(all, 1e6)).toEqual({ changes: all.slice(0, 50), more_changes: 13 });
  });

  it('are those that fit, whatever their order', () => {
    const all = [change(1, 100), change(2, 900), change(3, 100)];
    expect(fitted(all, 400)).toEqual({ changes: [all[0], all[2]], more_changes: 1 });
  });
});
