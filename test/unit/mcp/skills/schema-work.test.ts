import { describe, expect, it } from 'vitest';
import { argumentErrors, schemaIssues } from '#lib/mcp/skills/input-schema.ts';
import { worstMessages, worstSkills } from '#test/support/worst-messages.ts';

const named = (count: number, value: unknown) =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [`k${i}`, value]));

describe('arguments', () => {
  const lengths = {
    type: 'object',
    additionalProperties: { anyOf: Array.from({ length: 195 }, (_, i) => ({ type: 'string', minLength: 9999 + i })) },
  };

  it('are rejected when an accepted schema needs too many comparisons for them', () => {
    expect(schemaIssues(lengths)).toEqual([]);
    const errors = argumentErrors(lengths, named(999, ''));
    expect(errors).toEqual([{ path: '', message: expect.stringMatching(/20000 comparisons.*fewer values/s) }]);
  });

  it('are validated by a large schema if they are few', () => {
    expect(argumentErrors(lengths, named(20, 'x'.repeat(10_000).slice(0, 500)))).not.toEqual([
      { path: '', message: expect.stringContaining('comparisons') },
    ]);
  });

  it('are accepted in large number with a schema for each', () => {
    const properties = named(190, { type: 'string', description: 'One of many' });
    expect(argumentErrors({ type: 'object', properties }, named(190, 'x'))).toEqual([]);
    const list = {
      type: 'object',
      properties: { ids: { type: 'array', uniqueItems: true, items: { type: 'string' } } },
    };
    expect(argumentErrors(list, { ids: Array.from({ length: 100 }, (_, i) => `id ${i}`) })).toEqual([]);
  });

  it.each([
    ['uniques', 'arguments against uniques'],
    ['multiples', 'a 4th of the arguments against multiples'],
    ['choices', 'arguments against choices'],
    ['required names', 'arguments against required names'],
  ])('are rejected by a schema with many %s', (name, message) => {
    const skill = [...worstSkills('act_1')].find((one) => one.name === `a schema of ${name}`)!;
    const call = [...worstMessages()].find((one) => one.name === message)!;
    const [{ inputSchema }] = JSON.parse(skill.text).tools;
    expect(argumentErrors(inputSchema, JSON.parse(call.text).params.arguments)).toMatchObject([
      { path: '', message: expect.stringContaining('comparisons') },
    ]);
  });
});

it('reports at most twenty errors of a schema', () => {
  const allOf = Array.from({ length: 190 }, () => ({ $ref: '#', pattern: '.' }));
  expect(schemaIssues({ type: 'object', allOf })).toHaveLength(20);
});
