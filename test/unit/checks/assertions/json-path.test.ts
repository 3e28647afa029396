import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parsePath, printPath, valueAt } from '#lib/checks/assertions/json-path.ts';

const DOCUMENT = {
  db: { name: 'orders', version: 3, status: 'ok' },
  items: [{ id: 7 }, { id: 8 }],
  'a b': true,
  length: 'own',
  empty: null,
  text: 'grün😀',
};
const at = (path: string): unknown => {
  const found = valueAt(DOCUMENT, parsePath(path)!);
  return 'value' in found ? found.value : undefined;
};

describe('a path', () => {
  it.each([
    ['$', DOCUMENT],
    ['$.db.status', 'ok'],
    ["$['db'].status", 'ok'],
    ['$["db"]["status"]', 'ok'],
    ['$ .db [ "status" ]', 'ok'],
    ["$['a b']", true],
    ['$.items[0].id', 7],
    ['$.items[-1].id', 8],
    ['$.items.length', 2],
    ['$.text.length', 5],
    ['$.length', 'own'],
    ['$.empty', null],
  ])('%s leads to one value', (path, value) => {
    expect(at(path)).toEqual(value);
  });

  it.each([
    '$.db.none',
    '$.items[2]',
    '$.items[-3]',
    '$.items.id',
    '$.db[0]',
    '$.db.length',
    '$.toString',
    '$.empty.x',
  ])('%s leads to nothing', (path) => {
    expect(at(path)).toBeUndefined();
  });

  it.each([
    '',
    'a.b',
    '.a',
    '$..a',
    '$.a[*]',
    '$.*',
    '$.a[',
    '$.a[0',
    '$.a[0:2]',
    '$[?@.a]',
    "$['a','b']",
    '$[0,1]',
    '$[01]',
    '$[-0]',
    '$[99999999999999999]',
    '$.',
    '$.0',
    '$.a-b',
    '$.a ',
    "$['a]",
    "$['\\x']",
    '$["\\\'"]',
    "$['\\\"']",
    '$["a\nb"]',
    '$a',
  ])('is refused where it is none to one value: %s', (path) => {
    expect(parsePath(path)).toBeUndefined();
  });

  it('is printed so that it is read back', () => {
    const segment = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.maxSafeInteger(),
      fc.constantFrom('__proto__', "it's", '"'),
    );
    fc.assert(
      fc.property(fc.array(segment), (path) => {
        expect(parsePath(printPath(path))).toEqual(path.map((one) => (Object.is(one, -0) ? 0 : one)));
      }),
    );
  });

  it('is read without throwing, whatever is written', () => {
    const piece = fc.constantFrom('$', '.', '[', ']', "'", '"', '\\', 'a', '0', '-', '*', ' ', 'é', '\ud800');
    fc.assert(fc.property(fc.array(piece), (pieces) => void parsePath(pieces.join(''))));
    fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => void parsePath(`$${text}`)));
  });

  it('leads to the same as its names and places one by one', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.array(fc.oneof(fc.string(), fc.nat(3))), (root, path) => {
        fc.pre(path.at(-1) !== 'length');
        let expected: unknown = root;
        for (const segment of path) {
          const fits = typeof segment === 'number' ? Array.isArray(expected) : !Array.isArray(expected);
          const isHeld = fits && typeof expected === 'object' && expected !== null && Object.hasOwn(expected, segment);
          expected = isHeld ? (expected as Record<string | number, unknown>)[segment] : undefined;
        }
        const found = valueAt(root, path);
        expect('value' in found ? found.value : undefined).toEqual(expected);
      }),
    );
  });
});
