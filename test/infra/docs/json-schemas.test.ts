import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { schemaBook } from '#infra/docs/json-schemas.ts';

const Thing = z.object({ size: z.int().default(1), at: z.iso.datetime() }).meta({ id: 'Thing' });

describe('schemaBook', () => {
  it('references schemas by their names everywhere', () => {
    const book = schemaBook();
    expect(book.toJson(z.object({ things: z.array(Thing) }), 'output')).toMatchObject({
      properties: { things: { items: { $ref: '#/components/schemas/Thing' } } },
    });
    expect(Object.keys(book.components())).toEqual(['Thing']);
  });

  it('adds a second name if a request may omit properties of a response', () => {
    const book = schemaBook();
    expect(book.toJson(Thing, 'output')).toEqual({ $ref: '#/components/schemas/Thing' });
    expect(book.toJson(Thing, 'input')).toEqual({ $ref: '#/components/schemas/ThingInput' });
    expect(book.components()).toMatchObject({
      Thing: { required: ['size', 'at'] },
      ThingInput: { required: ['at'] },
    });
  });

  it('does not restrict the properties at a reference that has a description of its own', () => {
    const schema = schemaBook().toJson(z.object({ thing: Thing.describe('A thing.') }), 'input');
    expect(schema.properties).toEqual({ thing: { description: 'A thing.', $ref: '#/components/schemas/Thing' } });
  });

  it('rejects two schemas with one name', () => {
    const book = schemaBook();
    book.toJson(z.object({ a: z.string() }).meta({ id: 'Twin' }), 'output');
    expect(() => book.toJson(z.object({ b: z.string() }).meta({ id: 'Twin' }), 'output')).toThrow(/Twin/);
  });

  it.each([
    ['allows', 'readers', false, undefined],
    ['rejects', 'tests', true, false],
  ])('%s undocumented properties of responses in the schemas for %s', (_verb, _name, strict, additional) => {
    const schema = schemaBook({ strict }).toJson(z.object({ a: z.string() }), 'output');
    expect(schema.additionalProperties).toBe(additional);
    const config = schemaBook({ strict }).toJson(z.strictObject({ a: z.string() }), 'input');
    expect(config.additionalProperties).toBe(false);
  });
});
