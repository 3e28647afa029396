import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import type { AppError } from '#lib/platform/errors.ts';
import { parse, parseBody } from '#lib/platform/http/validation.ts';

/** Returns the messages of the validation error by path; empty without an error. */
function errorsOf(run: () => unknown): Record<string, string> {
  try {
    run();
    return {};
  } catch (error) {
    return Object.fromEntries((error as AppError).details!.map(({ path, message }) => [path, message]));
  }
}

describe('an unknown property', () => {
  const inner = z.object({ host: z.string(), port: z.int().optional() });
  const kinds = z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('a'), a: z.string() }),
    z.object({ kind: z.literal('b'), b: z.string() }),
  ]);
  const schema = z
    .object({
      plain: inner.optional(),
      filled: inner.prefault({ host: 'x' }),
      list: z.array(z.preprocess((value) => value, inner)).default([]),
      piped: z.string().transform(Number).optional(),
      kind: kinds.optional(),
      open: z.record(z.string(), z.unknown()).optional(),
      strict: z.strictObject({ host: z.string() }).optional(),
    })
    .refine(() => true)
    .meta({ id: 'TestOfUnknownProperties' });

  it.each<[place: string, value: object, path: string]>([
    ['at the top level', { hots: 1 }, 'hots'],
    ['below an optional property', { plain: { host: 'x', prot: 1 } }, 'plain.prot'],
    ['below one with a default', { filled: { host: 'x', prot: 1 } }, 'filled.prot'],
    ['in a list, after preprocessing', { list: [{ host: 'x' }, { host: 'x', prot: 1 }] }, 'list.1.prot'],
    ['of another kind', { kind: { kind: 'a', a: 'x', b: 'x' } }, 'kind.b'],
    ['of a strict object, named once', { strict: { host: 'x', prot: 1 } }, 'strict.prot'],
    ['named like a method of every object', { toString: 1 }, 'toString'],
  ])('is rejected %s', (_place, value, path) => {
    expect(Object.keys(errorsOf(() => parse(schema, value)))).toEqual([path]);
  });

  it('is accepted if the schema is open', () => {
    expect(errorsOf(() => parse(schema, { open: { anything: { at: ['all'] } } }))).toEqual({});
  });

  it('is ignored at the top level only, if it is a read-only property of the record', () => {
    const read = new Set(['created_at']);
    expect(parseBody(schema, { created_at: 'x' }, read)).not.toHaveProperty('created_at');
    const below = { plain: { host: 'x', created_at: 'x' } };
    expect(Object.keys(errorsOf(() => parseBody(schema, below, read)))).toEqual(['plain.created_at']);
  });

  it('is rejected in a body even if null, which means absent for a known property', () => {
    expect(errorsOf(() => parseBody(schema, { plain: null }))).toEqual({});
    expect(Object.keys(errorsOf(() => parseBody(schema, { plan: null })))).toEqual(['plan']);
  });

  it('is rejected with any name and value', () => {
    const names = Object.keys(schema.shape);
    fc.assert(
      fc.property(
        fc.string().filter((name) => !names.includes(name)),
        fc.jsonValue(),
        (name, value) => {
          const body = Object.fromEntries([[name, value]]);
          expect(errorsOf(() => parse(schema, body))[name]).toContain(`\`${name}\` is not known`);
        },
      ),
    );
  });

  it('is not reported after a hundred others', () => {
    const body = Object.fromEntries(Array.from({ length: 5000 }, (_, i) => [`m${i}`, 1]));
    expect(Object.keys(errorsOf(() => parse(schema, body)))).toHaveLength(100);
  });
});

describe('validation messages', () => {
  it.each<[schema: z.ZodType, value: unknown, message: string]>([
    [z.string(), 7, 'must be text'],
    [z.string(), undefined, 'is required'],
    [z.string().max(3), 'abcd', 'must have at most 3 characters'],
    [z.string().min(1), '', 'must have at least 1 character'],
    [z.int(), 1.5, 'must be a whole number'],
    [z.int(), '1', 'must be a whole number'],
    [z.number(), 'x', 'must be a number'],
    [z.coerce.number().int(), 'abc', 'must be a number'],
    [z.coerce.number().int(), '1.5', 'must be a whole number'],
    [z.int().max(30_000), 40_000, 'must be at most 30000'],
    [z.int().min(10), 1, 'must be at least 10'],
    [z.number().gt(0), 0, 'must be more than 0'],
    [z.boolean(), 'yes', 'must be true or false'],
    [z.array(z.string()), {}, 'must be a list'],
    [z.array(z.string()).max(1), ['a', 'b'], 'must have at most 1 item'],
    [z.object({}), 'x', 'must be an object'],
    [z.record(z.string(), z.string()), 'x', 'must be an object'],
    [z.enum(['admin', 'member']), 'boss', 'must be one of admin, member'],
    [z.enum(['admin', 'member']), 'membre', 'must be one of admin, member; did you mean member?'],
    [z.enum(['admin', 'member']), undefined, 'is required: one of admin, member'],
    [z.literal('push'), 'pull', 'must be push'],
    [z.email(), 'x', 'must be an e-mail address'],
    [z.union([z.string(), z.number()]), true, 'has none of the accepted forms'],
  ])('%#: %s', (schema, value, message) => {
    expect(errorsOf(() => parse(z.object({ it: schema }), { it: value }))).toEqual({ it: message });
  });

  it('report the properties required by all kinds if the kind is missing or unknown', () => {
    const shared = { name: z.string(), note: z.string().optional() };
    const schema = z.discriminatedUnion('kind', [
      z.object({ kind: z.literal('a'), ...shared, a: z.string() }),
      z.object({ kind: z.literal('b'), ...shared }),
    ]);
    expect(errorsOf(() => parse(schema, {}))).toEqual({ kind: 'is required: one of a, b', name: 'is required' });
    expect(errorsOf(() => parse(schema, { kind: 'c', name: 'x' }))).toEqual({ kind: 'must be one of a, b' });
  });
});
