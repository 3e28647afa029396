import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { commaListOf, valuesOf } from '#lib/platform/http/query-params.ts';

const Query = z.object({
  limit: z.string().optional(),
  label: z
    .array(z.string())
    .transform((all) => all.length)
    .describe('Several.')
    .optional(),
});

describe('valuesOf', () => {
  it('returns the first value of each parameter, and all values of a list', () => {
    const search = new URLSearchParams('limit=1&label=a&limit=2&label=b&other=x&constructor=y&other=z');
    expect(valuesOf(Query, search)).toEqual({ limit: '1', label: ['a', 'b'], other: 'x', constructor: 'y' });
  });
});

describe('commaListOf', () => {
  const states = commaListOf(['up', 'down']);

  it.each([
    ['up', ['up']],
    ['down,up', ['down', 'up']],
    ['up,up', ['up', 'up']],
  ])('accepts %s as %j', (text, words) => expect(states.parse(text)).toEqual(words));

  it.each(['', ',', 'up,', 'UP', 'up down', 'upx'])('rejects "%s"', (text) => {
    expect(states.safeParse(text).success).toBe(false);
  });
});
