import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { atMost, sizeProblem } from '#lib/platform/http/json-size.ts';

const excess = (text: string) => sizeProblem(Buffer.from(text));
const deep = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels);

describe('sizeProblem', () => {
  it('allows at most 10,000 values', () => {
    expect(excess(JSON.stringify(Array(9998).fill(0)))).toBeUndefined();
    expect(excess(JSON.stringify(Array(10_000).fill(0)))).toContain('10000 values');
    expect(excess(JSON.stringify(Array(10_000).fill({})))).toContain('10000 values');
  });

  it('allows at most 64 levels', () => {
    expect(excess(deep(64))).toBeUndefined();
    expect(excess(deep(65))).toContain('64 levels');
  });

  it('ignores the content of strings', () => {
    expect(excess(JSON.stringify({ text: `${'[{,"\\'.repeat(20_000)}` }))).toBeUndefined();
  });

  it.each(['', '"', '"\\', ']]]]', '{"a":'])('ignores the invalid JSON %j', (text) => {
    expect(excess(text)).toBeUndefined();
  });

  it('counts values like a parser', () => {
    const count = (value: unknown): number =>
      typeof value !== 'object' || value === null
        ? 1
        : Object.values(value).reduce((sum: number, one) => sum + count(one), 1);
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 5 }), fc.integer({ min: 9_990, max: 10_010 }), (value, size) => {
        const filler = Array(Math.max(0, size - count(value) - 2)).fill(0);
        const whole = [value, filler];
        // An empty list or map counts as if it had one item.
        if (count(whole) > 10_000) expect(excess(JSON.stringify(whole))).toBeDefined();
      }),
    );
  });
});

describe('atMost', () => {
  const evaluated: unknown[] = [];
  const member = z.unknown().refine((value) => evaluated.push(value) > 0);

  it('checks the size before any item', () => {
    const list = atMost(2, z.array(member), 'too many');
    expect(list.safeParse([1, 2]).data).toEqual([1, 2]);
    expect(evaluated.splice(0)).toEqual([1, 2]);
    expect(list.safeParse([1, 2, 3]).error!.issues).toMatchObject([{ path: [], message: 'too many' }]);
    expect(evaluated).toEqual([]);
  });

  it('accepts maps and absent values', () => {
    const map = z.object({ map: atMost(1, z.record(z.string(), member), 'too many').default({}) });
    expect(map.parse({})).toEqual({ map: {} });
    expect(map.safeParse({ map: { a: 1, b: 2 } }).error!.issues).toMatchObject([{ path: ['map'] }]);
    expect(map.safeParse({ map: 'text' }).error!.issues).toMatchObject([{ code: 'invalid_type' }]);
  });
});
