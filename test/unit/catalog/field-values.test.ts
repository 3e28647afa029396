import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Field, FieldType, mergeValues, shownValues, typeErrorOf } from '#lib/catalog/field.ts';
import type { AppError } from '#lib/platform/errors.ts';

const field = (name: string, field_type: FieldType, more: Partial<Field> = {}): Field => ({
  name,
  field_type,
  required: false,
  sort_order: 0,
  ...more,
});

const FIELDS = [
  field('owner', 'string', { required: true }),
  field('port', 'number', { required: true, default_value: '443' }),
  field('tags', 'array'),
  field('page', 'url'),
];

const detailsOf = (run: () => unknown) => {
  try {
    run();
  } catch (error) {
    return (error as AppError).details;
  }
  return undefined;
};

describe('mergeValues', () => {
  it('keeps omitted values, replaces given ones, and removes null ones', () => {
    const stored = { owner: 'a', port: 80, tags: ['x'] };
    expect(mergeValues(FIELDS, stored, { port: 81, tags: null })).toEqual({ owner: 'a', port: 81 });
  });
  it('accepts the default of a required field', () => {
    expect(mergeValues(FIELDS, {}, { owner: 'a' })).toEqual({ owner: 'a' });
    expect(mergeValues(FIELDS, { owner: 'a', port: 80 }, { port: null })).toEqual({ owner: 'a' });
  });
  it('reports every wrong path', () => {
    expect(detailsOf(() => mergeValues(FIELDS, {}, { prot: 1, port: '443', tags: ['a', null], page: 'x' }))).toEqual([
      { path: 'fields.prot', message: 'is not a field of this blueprint (owner, port, tags, page)' },
      { path: 'fields.owner', message: 'is required by the blueprint' },
      { path: 'fields.port', message: expect.stringContaining('number') },
      { path: 'fields.tags.1', message: 'must be a string, a number or a boolean' },
      { path: 'fields.page', message: 'must be an absolute http or https URL' },
    ]);
  });
  it('rejects a missing required value, even if it was missing before', () => {
    expect(detailsOf(() => mergeValues(FIELDS, { owner: 'a' }, { owner: null }))).toMatchObject([
      { path: 'fields.owner' },
    ]);
    expect(detailsOf(() => mergeValues(FIELDS, {}, {}))).toMatchObject([{ path: 'fields.owner' }]);
  });
  it('rejects an unknown name, even with null', () => {
    expect(detailsOf(() => mergeValues(FIELDS, { owner: 'a' }, { prot: null }))).toMatchObject([
      { path: 'fields.prot' },
    ]);
  });
  it('drops values of fields that were removed or retyped', () => {
    expect(mergeValues(FIELDS, { owner: 'a', old: 1, port: 'eighty' }, {})).toEqual({ owner: 'a' });
  });
  it('ignores inherited properties', () => {
    expect(detailsOf(() => mergeValues([field('a', 'string')], {}, { toString: 'x' }))).toMatchObject([
      { path: 'fields.toString' },
    ]);
    expect(mergeValues([field('toString', 'string')], {}, {})).toEqual({});
  });
});

describe('shownValues', () => {
  it("fills in defaults with the field's type", () => {
    expect(shownValues(FIELDS, { owner: 'a' })).toEqual({ owner: 'a', port: 443 });
  });
  it('hides removed fields, and values that do not match their type any more', () => {
    expect(shownValues(FIELDS, { owner: 7, old: 1, port: 'eighty' })).toEqual({ port: 443 });
  });

  const value: Record<FieldType, fc.Arbitrary<unknown>> = {
    string: fc.string(),
    number: fc.integer(),
    boolean: fc.boolean(),
    url: fc.webUrl(),
    array: fc.array(fc.oneof(fc.string(), fc.integer(), fc.boolean())),
  };
  const name = fc.constantFrom('a', 'b', 'c', 'constructor', 'größe');
  const definitions = fc.uniqueArray(
    fc
      .record({ name, field_type: fc.constantFrom(...FieldType.options) })
      .map((one) => field(one.name, one.field_type)),
    { selector: (one) => one.name },
  );
  const anything = fc.dictionary(name, fc.oneof(...Object.values(value)), { noNullPrototype: true });

  it('returns only values of the right type, which can be sent back', () => {
    fc.assert(
      fc.property(definitions, anything, (fields, stored) => {
        const shown = shownValues(fields, stored);
        for (const one of fields) {
          if (Object.hasOwn(shown, one.name)) expect(typeErrorOf(one.field_type, shown[one.name])).toBeUndefined();
        }
        expect(shownValues(fields, mergeValues(fields, stored, shown))).toEqual(shown);
      }),
    );
  });
});
