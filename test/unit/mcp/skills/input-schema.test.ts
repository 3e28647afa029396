import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { argumentErrors, schemaIssues } from '#lib/mcp/skills/input-schema.ts';

const pathsOf = (schema: object) => schemaIssues(schema as never).map(({ path }) => path.join('.'));
const object = (more: object = {}) => ({ type: 'object', ...more });

describe('a schema of arguments', () => {
  it.each<[string, object, string[]]>([
    ['another type', { type: 'array' }, ['type']],
    ['an unknown type', object({ properties: { a: { type: 'text' } } }), ['properties.a.type']],
    ['several types, one unknown', object({ properties: { a: { type: ['string', 'x'] } } }), ['properties.a.type']],
    ['a reference in a list', object({ allOf: [{}, { $ref: '#' }] }), ['allOf.1.$ref']],
    ['a dynamic reference', object({ not: { $dynamicRef: '#a' } }), ['not.$dynamicRef']],
    ['a pattern in a definition', object({ $defs: { a: { pattern: 'a' } } }), ['$defs.a.pattern']],
    ['a pattern for names', object({ propertyNames: { pattern: 'a' } }), ['propertyNames.pattern']],
    [
      'a pattern in a dependency',
      object({ dependencies: { a: { pattern: 'a' }, b: ['a'] } }),
      ['dependencies.a.pattern'],
    ],
    [
      'a pattern in a tuple',
      object({ properties: { a: { items: [{ pattern: 'a' }] } } }),
      ['properties.a.items.0.pattern'],
    ],
    ['several errors', object({ $ref: '#', patternProperties: {} }), ['$ref', 'patternProperties']],
    ['properties that are not an object', object({ properties: [] }), ['properties']],
    ['a property that is not a schema', object({ properties: { a: 7 } }), ['properties.a']],
    ['alternatives that are not a list', object({ anyOf: {} }), ['anyOf']],
    ['required that is not a list of names', object({ required: 'a' }), ['required']],
    ...(
      [
        ['enum', 5],
        ['enum', null],
        ['type', []],
        ['dependentRequired', { b: 5 }],
        ['dependencies', { b: [5] }],
        ['multipleOf', 0],
        ['maximum', '9'],
        ['exclusiveMinimum', true],
        ['maxLength', -1],
        ['minItems', 1.5],
        ['uniqueItems', 'yes'],
      ] as const
    ).map(([keyword, value]): [string, object, string[]] => [
      `${keyword} ${JSON.stringify(value)}`,
      object({ properties: { a: { [keyword]: value } } }),
      [`properties.a.${keyword}`],
    ]),
    ['an $id that is not a valid URL', object({ $id: 'http://[' }), ['']],
  ])('is rejected with %s', (_name, schema, paths) => {
    expect(pathsOf(schema)).toEqual(paths);
  });

  it.each<[string, object]>([
    ['only its type', object()],
    ['properties named like keywords', object({ properties: { pattern: {}, $ref: { type: 'string' } } })],
    [
      'values that look like keywords',
      object({ default: { $ref: 'x' }, examples: [{ pattern: 'a' }], const: { pattern: 1 } }),
    ],
    ['true and false as schemas', object({ additionalProperties: false, properties: { a: true } })],
    ['a dialect', object({ $schema: 'https://json-schema.org/draft/2020-12/schema' })],
    ['a format', object({ properties: { a: { type: 'string', format: 'uri' } } })],
  ])('is accepted with %s', (_name, schema) => {
    expect(pathsOf(schema)).toEqual([]);
  });

  it('is limited in depth', () => {
    let schema: object = {};
    for (let i = 0; i < 5000; i++) schema = { not: schema };
    expect(schemaIssues(object({ not: schema }))).toMatchObject([{ message: expect.stringContaining('nested') }]);
  });

  it.each<[string, object]>([
    ['schemas', object({ allOf: Array.from({ length: 200 }, () => ({})) })],
    ['bytes', object({ description: 'x'.repeat(16 * 1024) })],
  ])('is limited in the number of %s', (_name, schema) => {
    expect(schemaIssues(schema as never)).toMatchObject([{ path: [], message: expect.stringContaining('at most') }]);
  });

  it('is validated for any input, with a message for each issue', () => {
    fc.assert(
      fc.property(
        fc.object({ maxDepth: 6, key: fc.constantFrom('type', 'properties', 'items', 'anyOf', 'required', 'a') }),
        (value) => {
          for (const { message } of schemaIssues(value)) expect(message).toMatch(/\w+/);
        },
      ),
      { numRuns: 300 },
    );
  });
});

describe('arguments', () => {
  const schema = object({
    properties: {
      name: { type: 'string', minLength: 2 },
      count: { type: 'integer', minimum: 1 },
      tags: { items: { enum: ['a', 'b'] } },
    },
    required: ['name'],
    additionalProperties: false,
  });

  it.each<[object, string]>([
    [{}, ''],
    [{ name: 'x' }, 'name'],
    [{ name: 'xy', count: 0 }, 'count'],
    [{ name: 'xy', count: 1.5 }, 'count'],
    [{ name: 'xy', tags: ['a', 'c'] }, 'tags.1'],
    [{ name: 'xy', other: 1 }, 'other'],
  ])('are rejected if they are %j, with the path "%s"', (value, path) => {
    expect(argumentErrors(schema, value).map((each) => each.path)).toContain(path);
  });

  it('are accepted when they match', () => {
    expect(argumentErrors(schema, { name: 'xy', count: 3, tags: ['a', 'b'] })).toEqual([]);
  });

  it.each<[string, object]>([
    ['bytes', { name: 'x'.repeat(16 * 1024) }],
    ['elements in a list', { name: 'xy', tags: Array(101).fill('a') }],
    ['values', { name: 'xy', tags: Array(100).fill(Array(10).fill('a')) }],
  ])('are limited in the number of %s', (_name, value) => {
    expect(argumentErrors(schema, value)).toMatchObject([{ path: '', message: expect.stringContaining('at most') }]);
  });

  it('are not validated by `format`, whose regular expressions can run without end', () => {
    const url = object({ properties: { a: { type: 'string', format: 'url' }, b: { format: 'email' } } });
    expect(argumentErrors(url, { a: `http://${'a'.repeat(5000)}!`, b: 'none' })).toEqual([]);
  });
});
