import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { JsonDocument } from '#lib/checks/assertions/json-document.ts';
import { parsePath } from '#lib/checks/assertions/json-path.ts';

/** Both ways to read a text. Their results must not differ. */
const ways: [string, (text: string) => Promise<JsonDocument | undefined>][] = [
  ['parsed', async (text) => JsonDocument.parse(text)],
  ['scanned', async (text) => JsonDocument.scan(text)],
];

/** Returns the value at a path of a value from JSON.parse. */
function valueAt(root: unknown, path: readonly (string | number)[]): unknown {
  let value = root;
  for (const segment of path) {
    if (typeof segment === 'number') value = Array.isArray(value) ? value.at(segment) : undefined;
    else {
      const isMap = typeof value === 'object' && value !== null && !Array.isArray(value);
      value =
        isMap && Object.hasOwn(value as object, segment) ? (value as Record<string, unknown>)[segment] : undefined;
    }
  }
  return value;
}

/** JSON texts with white space, escapes, and repeated property names. */
const jsonTexts = fc.letrec<{ json: string }>((tie) => ({
  json: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constantFrom('true', 'false', 'null', '0', '-0', '1e2', '-1.5E-3', '1e999', '""', '"\\u0061"', '" \\n\\"ü😀"'),
    fc.string({ unit: 'binary' }).map((text) => JSON.stringify(text)),
    fc.double({ noNaN: true, noDefaultInfinity: true }).map((number) => JSON.stringify(number)),
    fc.array(tie('json')).map((items) => `[ ${items.join(' ,\n')}]`),
    fc
      .array(fc.tuple(fc.constantFrom('"a"', '"b"', '"\\u0061"', '"__proto__"', '"a\\\\"'), tie('json')), {
        maxLength: 5,
      })
      .map((members) => `{\t${members.map(([name, value]) => `${name}: ${value}`).join(',')} }`),
  ),
})).json;

const path = fc.array(fc.constantFrom('a', 'b', '__proto__', 'a\\', 0, 1, -1, -2), { maxLength: 4 });

describe.each(ways)('a JSON text, %s,', (_way, read) => {
  it('has the same value at each path as JSON.parse returns', async () => {
    await fc.assert(
      fc.asyncProperty(jsonTexts, path, async (text, steps) => {
        const expected = valueAt(JSON.parse(text), steps);
        const found = (await read(text))!.find(steps);
        expect('value' in found).toBe(expected !== undefined);
        if (!('value' in found)) return;
        const isScalar = typeof expected !== 'object' || expected === null;
        expect(found.value.scalar).toEqual(isScalar ? expected : undefined);
      }),
      { numRuns: 500 },
    );
  });

  it('is accepted exactly if JSON.parse accepts it', async () => {
    const piece = fc.constantFrom(
      '{',
      '}',
      '[',
      ']',
      ',',
      ':',
      '"',
      '"a"',
      '\\',
      '1',
      '-',
      '.5',
      'e',
      'true',
      'nul',
      ' ',
      '\n',
      '\u0001',
      '\\u12',
    );
    const broken = fc.tuple(jsonTexts, fc.nat(), fc.nat(3), piece).map(([text, at, gone, more]) => {
      const from = at % (text.length + 1);
      return text.slice(0, from) + more + text.slice(from + gone);
    });
    const texts = fc.oneof(
      broken,
      fc.array(piece).map((pieces) => pieces.join('')),
      fc.string({ unit: 'binary' }),
    );
    const isJson = (text: string): boolean => {
      try {
        JSON.parse(text);
        return true;
      } catch {
        return false;
      }
    };
    await fc.assert(
      fc.asyncProperty(texts, async (text) => {
        expect((await read(text)) !== undefined).toBe(isJson(text));
      }),
      { numRuns: 2_000 },
    );
  });

  it.each([
    ['$.items.length', 2],
    ['$.text.length', 5],
    ['$.length', 'own'],
    ['$.items[-1].id', 8],
    ["$['a b']", true],
    ['$.empty', null],
  ])('has at %s the length or value %j', async (property, scalar) => {
    const text = JSON.stringify({
      items: [{ id: 7 }, { id: 8 }],
      text: 'grün😀',
      length: 'own',
      'a b': true,
      empty: null,
    });
    const found = (await read(text))!.find(parsePath(property)!);
    expect(found).toMatchObject({ value: { scalar } });
  });

  it.each([
    '$.none',
    '$.items[2]',
    '$.items[-3]',
    '$.items.id',
    '$.items.length.x',
    '$.db.length',
    '$.toString',
    '$.empty.x',
  ])('has nothing at %s', async (property) => {
    const document = await read('{"items": [1, 2], "db": {}, "empty": null}');
    expect(document!.find(parsePath(property)!)).not.toHaveProperty('value');
  });

  it('can have any depth', async () => {
    const deep = 32_000;
    const document = await read(`${'['.repeat(deep)}1${']'.repeat(deep)}`);
    expect(document!.find([0, 0])).toMatchObject({ value: { kind: 'a list' } });
    expect(await read('['.repeat(deep))).toBeUndefined();
  });
});

it('finds the same by both ways of reading', async () => {
  await fc.assert(
    fc.asyncProperty(jsonTexts, path, async (text, steps) => {
      const [parsed, scanned] = await Promise.all(ways.map(([, read]) => read(text)));
      expect(parsed!.find(steps)).toEqual(scanned!.find(steps));
    }),
    { numRuns: 500 },
  );
});

it('scans a large text of any depth', () => {
  const deep = 300_000;
  const document = JsonDocument.scan(`${'['.repeat(deep)}1${']'.repeat(deep)}`);
  expect(document!.find([0, 0])).toMatchObject({ value: { kind: 'a list' } });
});
