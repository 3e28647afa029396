import { expect, it } from 'vitest';
import { apiDigest } from '#infra/docs/api-digest.ts';

/** Returns an API with two operations. The first refers to `Thing`, and through it to `Part`. */
const api = (part: object) => {
  const content = { 'application/json': { schema: { $ref: '#/components/schemas/Thing' } } };
  return {
    openapi: '3.1.0',
    paths: {
      '/v1/things': { get: { summary: 'Things', responses: { 200: { description: 'Things', content } } } },
      '/v1/other': { get: { summary: 'Other', responses: { 204: { description: 'Done' } } } },
    },
    webhooks: {},
    components: {
      schemas: {
        Thing: { type: 'object', properties: { part: { $ref: '#/components/schemas/Part' } } },
        Part: { type: 'object', ...part },
      },
    },
  };
};
const linesOf = (part: object) => apiDigest(api(part)).trimEnd().split('\n');
const [things = '', other = ''] = linesOf({ properties: { description: { type: 'string' } } });

it('has one line per operation', () => {
  expect(things).toMatch(/^[0-9a-f]{12} GET \/v1\/things$/);
  expect(other).toMatch(/^[0-9a-f]{12} GET \/v1\/other$/);
});

it.each([
  ['the type of a property', { properties: { description: { type: 'number' } } }],
  ['the name of a property', { properties: { title: { type: 'string' } } }],
  ['an added property', { properties: { description: { type: 'string' }, title: { type: 'string' } } }],
  ['a bound', { properties: { description: { type: 'string', maxLength: 5 } } }],
])('changes the lines of operations that refer to a schema when it differs in %s', (_name, part) => {
  const [changed, unchanged] = linesOf(part);
  expect(changed).not.toBe(things);
  expect(unchanged).toBe(other);
});

it('does not change with human-readable texts', () => {
  const described = { description: 'A part', properties: { description: { type: 'string', description: 'A text' } } };
  expect(linesOf(described)).toEqual([things, other]);
});
