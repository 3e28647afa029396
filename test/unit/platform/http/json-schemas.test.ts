import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { schemaBook } from '#lib/platform/http/json-schemas.ts';
import { errorCodes } from '#lib/platform/http/openapi.ts';
import { route } from '#lib/platform/http/route.ts';

const Thing = z.object({ size: z.int().default(1), at: z.iso.datetime() }).meta({ id: 'Thing' });

describe('schemas of a document', () => {
  it('are referred to by their names, wherever they stand', () => {
    const book = schemaBook();
    expect(book.toJson(z.object({ things: z.array(Thing) }), 'output')).toMatchObject({
      properties: { things: { items: { $ref: '#/components/schemas/Thing' } } },
    });
    expect(Object.keys(book.components())).toEqual(['Thing']);
  });

  it('have a second name where a request may leave out what an answer has', () => {
    const book = schemaBook();
    expect(book.toJson(Thing, 'output')).toEqual({ $ref: '#/components/schemas/Thing' });
    expect(book.toJson(Thing, 'input')).toEqual({ $ref: '#/components/schemas/ThingInput' });
    expect(book.components()).toMatchObject({
      Thing: { required: ['size', 'at'] },
      ThingInput: { required: ['at'] },
    });
  });

  it('are refused when two have one name', () => {
    const book = schemaBook();
    book.toJson(z.object({ a: z.string() }).meta({ id: 'Twin' }), 'output');
    expect(() => book.toJson(z.object({ b: z.string() }).meta({ id: 'Twin' }), 'output')).toThrow(/Twin/);
  });

  it.each([
    ['readers', false, undefined],
    ['tests', true, false],
  ])('for %s: a member that is not stated', (_name, strict, additional) => {
    const schema = schemaBook({ strict }).toJson(z.object({ a: z.string() }), 'output');
    expect(schema.additionalProperties).toBe(additional);
    const config = schemaBook({ strict }).toJson(z.strictObject({ a: z.string() }), 'input');
    expect(config.additionalProperties).toBe(false);
  });
});

describe('the codes of an endpoint', () => {
  const row = route<object>();
  const always = ['RATE_LIMITED', 'INTERNAL', 'UNAVAILABLE'];
  const keyed = ['UNAUTHORIZED', 'ACCOUNT_DISABLED'];
  const base = { summary: '', status: 204 as const, run: async () => undefined };

  it.each([
    ['an open one', row({ ...base, method: 'GET', path: '/v1/a', access: 'open' }), ['VALIDATION_ERROR', ...always]],
    [
      'a read',
      row({ ...base, method: 'GET', path: '/v1/a', access: 'read' }),
      ['VALIDATION_ERROR', ...keyed, ...always],
    ],
    [
      'a list',
      row({ ...base, method: 'GET', path: '/v1/a', access: 'read', query: z.object({}) }),
      ['VALIDATION_ERROR', ...keyed, ...always],
    ],
    [
      'a change by an admin, with a code of its own',
      row({ ...base, method: 'PUT', path: '/v1/a/{id}', access: 'admin', body: z.object({}), errors: ['CONFLICT'] }),
      [
        ...['VALIDATION_ERROR', ...keyed, 'FORBIDDEN', 'READ_ONLY', 'NOT_FOUND', 'PAYLOAD_TOO_LARGE', 'CONFLICT'],
        ...always,
      ],
    ],
  ])('follow from its row: %s', (_name, made, codes) => {
    expect(errorCodes(made as never)).toEqual(codes);
  });
});
