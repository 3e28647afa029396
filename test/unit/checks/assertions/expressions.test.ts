import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Assertion } from '#lib/checks/assertions/assertion.ts';
import {
  expressionOf,
  expressionsIn,
  invalidExpressions,
  isFound,
  MAX_SEARCHED,
} from '#lib/checks/assertions/expressions.ts';

const matches = (value: string): Assertion => ({ source: 'body', operator: 'matches', value, severity: 'fail' });

describe('an expression', () => {
  it.each([
    ['^ok', 'ok then', true],
    ['(?i)OK', 'all is ok', true],
    ['a.c', 'a\nc', false],
    ['(?s)a.c', 'a\nc', true],
    ['^\\d{3}$', '200', true],
    ['😀+', '😀😀', true],
    ['x', '', false],
  ])('matches %s in %j: %s', async (expression, text, found) => {
    expect(await isFound(expression, text)).toBe(found);
  });

  it('finds the end of a match in any text', async () => {
    const part = fc.constantFrom('a', 'b', '.', '\\d', '[^a]', '(a|bc)', '(?i:B)', '\\b', '^', '$', 'ü', '\\pL');
    const times = fc.constantFrom('', '?', '*', '+', '{2}', '*?');
    const one = fc.tuple(part, times).map(([what, often]) => `(?:${what})${often}`);
    const expressions = fc.array(one, { minLength: 1, maxLength: 5 }).map((parts) => parts.join(''));
    const texts = fc.string({ unit: fc.constantFrom('a', 'b', 'c', 'B', '1', ' ', '\n', 'ü', '😀') });
    await fc.assert(
      fc.asyncProperty(expressions, texts, async (expression, text) => {
        const end = (await expressionOf(expression)).endIn(text);
        expect(await isFound(expression, text)).toBe(end >= 0);
      }),
    );
  });

  it('searches the first 32 KB', async () => {
    const text = `${'x'.repeat(MAX_SEARCHED - 1)}ab`;
    expect([await isFound('a', text), await isFound('b', text)]).toEqual([true, false]);
  });

  it.each<[string, RegExp]>([
    ['(?=a)b', /^look-ahead and look-behind are not supported/],
    ['(?!a)b', /^look-ahead/],
    ['(?<=a)b', /^look-ahead/],
    ['(?<!a)b', /^look-ahead/],
    ['(a)\\1', /^back references are not supported/],
    ['(a{1000}){1000}', /^is not an RE2 expression|^is too large/],
    ['a{81}', /^is too large: it has \d+ instructions, and the maximum is 80/],
    ['(', /^is not an RE2 expression/],
    ['[z-a]', /^is not an RE2 expression/],
    ['a**', /^is not an RE2 expression/],
    ['\\p{Nope}', /^is not an RE2 expression/],
  ])('rejects %s with the reason', async (expression, problem) => {
    expect(await invalidExpressions(expressionsIn([matches('ok'), matches(expression)]))).toEqual([
      { path: 'config.assertions.1.value', message: expect.stringMatching(problem) },
    ]);
  });
});
