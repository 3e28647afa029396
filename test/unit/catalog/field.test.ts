import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FieldInput, FieldType, makeField, parseDefault, sortFields, typeErrorOf } from '#lib/catalog/field.ts';

describe('a value', () => {
  it.each<[FieldType, unknown[], unknown[]]>([
    ['string', ['', 'a', '42'], [42, true, null, ['a'], {}]],
    ['number', [0, -1.5, 9.99e125, 1e-130], ['42', 1e126, 1e-131, Number.POSITIVE_INFINITY, Number.NaN, true, null]],
    ['boolean', [true, false], ['true', 0, null]],
    [
      'url',
      ['https://example.com', 'http://10.0.0.1:8080/x?y#z', 'HTTPS://EXAMPLE.COM'],
      ['example.com', '/x', 'ftp://example.com', 'https://', 'javascript:alert(1)', 'http:example.com', 7],
    ],
    ['array', [[], ['a', 1, true]], ['a', { 0: 'a' }, [null], [['a']], [{}]]],
  ])('is validated by type %s', (type, good, bad) => {
    for (const value of good) expect(typeErrorOf(type, value), JSON.stringify(value)).toBeUndefined();
    for (const value of bad) expect(typeErrorOf(type, value), JSON.stringify(value)).toBeDefined();
  });
});

describe('a default', () => {
  it.each<[FieldType, string, unknown]>([
    ['string', '42', '42'],
    ['string', '', ''],
    ['number', '42', 42],
    ['number', '-1.5e3', -1500],
    ['boolean', 'true', true],
    ['boolean', 'false', false],
    ['url', 'https://example.com', 'https://example.com'],
    ['array', '["a",1,true]', ['a', 1, true]],
  ])('is parsed for type %s: %s', (type, text, value) => {
    expect(parseDefault(type, text)).toEqual(value);
  });

  it.each<[FieldType, string]>([
    ['number', ''],
    ['number', 'forty'],
    ['number', '"42"'],
    ['number', '1e400'],
    ['boolean', 'yes'],
    ['boolean', '1'],
    ['url', 'example.com'],
    ['array', 'a,b'],
    ['array', '[null]'],
    ['array', '{}'],
  ])('is rejected for type %s: %s', (type, text) => {
    const parsed = FieldInput.safeParse({ name: 'f', field_type: type, default_value: text });
    expect(parsed.error?.issues[0]).toMatchObject({ path: ['default_value'] });
    expect(parsed.error?.issues[0]?.message).toContain(type);
  });

  it('is always a value of its type', () => {
    fc.assert(
      fc.property(fc.constantFrom(...FieldType.options), fc.oneof(fc.string(), fc.json()), (type, text) => {
        const value = parseDefault(type, text);
        if (value !== undefined) expect(typeErrorOf(type, value)).toBeUndefined();
      }),
    );
  });

  it('keeps the value of any number', () => {
    const finite = fc.double({ noNaN: true, min: -1e100, max: 1e100 }).filter((n) => n === 0 || Math.abs(n) > 1e-100);
    fc.assert(
      fc.property(finite, (value) => {
        expect(parseDefault('number', JSON.stringify(value))).toBe(value === 0 ? 0 : value);
      }),
    );
  });
});

describe('a field definition', () => {
  it('is optional and at its position by default', () => {
    const input = FieldInput.parse({ name: 'f', field_type: 'string', required: null, default_value: null });
    expect(makeField(input, 3)).toEqual({ name: 'f', field_type: 'string', required: false, sort_order: 3 });
    expect(makeField({ ...input, sort_order: 0, required: true }, 3)).toMatchObject({ sort_order: 0, required: true });
  });
  it('is sorted by sort_order, equal ones in order of input', () => {
    const field = (name: string, sort_order: number) => ({
      ...makeField({ name, field_type: 'string' }, 0),
      sort_order,
    });
    const names = sortFields([field('a', 2), field('b', 1), field('c', 2), field('d', -1)]).map(({ name }) => name);
    expect(names).toEqual(['d', 'b', 'a', 'c']);
  });
});
