import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parsePath, printPath } from '#lib/checks/assertions/json-path.ts';

describe('parsePath', () => {
  it.each<[string, (string | number)[]]>([
    ['$', []],
    ['$.db.status', ['db', 'status']],
    ["$['db'].status", ['db', 'status']],
    ['$["db"]["status"]', ['db', 'status']],
    ['$ .db [ "status" ]', ['db', 'status']],
    ["$['it\\'s'][\"\\u0061\"]", ["it's", 'a']],
    ['$.items[0].id', ['items', 0, 'id']],
    ['$[-1].größe', [-1, 'größe']],
  ])('accepts %s', (path, segments) => {
    expect(parsePath(path)).toEqual(segments);
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
  ])('rejects what is not a path to one value: %s', (path) => {
    expect(parsePath(path)).toBeUndefined();
  });

  it('parses what printPath writes', () => {
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

  it('never throws', () => {
    const piece = fc.constantFrom('$', '.', '[', ']', "'", '"', '\\', 'a', '0', '-', '*', ' ', 'é', '\ud800');
    fc.assert(fc.property(fc.array(piece), (pieces) => void parsePath(pieces.join(''))));
    fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => void parsePath(`$${text}`)));
  });
});
