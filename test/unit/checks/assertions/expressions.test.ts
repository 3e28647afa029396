import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Assertion } from '#lib/checks/assertions/assertion.ts';
import {
  areMatches,
  endOfMatch,
  expressionsIn,
  invalidExpression,
  MAX_SEARCHED,
  repetitionError,
} from '#lib/checks/assertions/expressions.ts';
import { unlimitedCpu } from '#test/support/probe-world.ts';

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
    expect(await areMatches(unlimitedCpu, [{ expression, text }])).toEqual([found]);
  });

  it('has an end of a match exactly if it matches, in any text', async () => {
    const part = fc.constantFrom('a', 'b', '.', '\\d', '[^a]', '(a|bc)', '(?i:B)', '\\b', '^', '$', 'ü', '\\pL');
    const times = fc.constantFrom('', '?', '*', '+', '{2}', '*?');
    const one = fc.tuple(part, times).map(([what, often]) => `(?:${what})${often}`);
    const expressions = fc.array(one, { minLength: 1, maxLength: 5 }).map((parts) => parts.join(''));
    const texts = fc.string({ unit: fc.constantFrom('a', 'b', 'c', 'B', '1', ' ', '\n', 'ü', '😀') });
    await fc.assert(
      fc.asyncProperty(expressions, texts, async (expression, text) => {
        const end = await endOfMatch(unlimitedCpu, expression, text);
        expect(await areMatches(unlimitedCpu, [{ expression, text }])).toEqual([end >= 0]);
      }),
    );
  });

  it('searches only the first 32 KB', async () => {
    const text = `${'x'.repeat(MAX_SEARCHED - 1)}ab`;
    const both = ['a', 'b'].map((expression) => ({ expression, text }));
    expect(await areMatches(unlimitedCpu, both)).toEqual([true, false]);
  });

  it.each<[string, RegExp]>([
    ['(?=a)b', /^uses look-ahead or look-behind, which is not supported/],
    ['(?!a)b', /^uses look-ahead/],
    ['(?<=a)b', /^uses look-ahead/],
    ['(?<!a)b', /^uses look-ahead/],
    ['(a)\\1', /^uses back references, which are not supported/],
    ['(a{1000}){1000}', /^repeats a part 1000 times, and the maximum is 100/],
    ['((a{9}){9}){9}', /^repeats a part 729 times/],
    ['\\pL{1000}', /^repeats a part 1000 times/],
    ['a{3}{40}', /^repeats a part 120 times/],
    ['(?:ab{2,60}|c){2}', /^repeats a part 120 times/],
    ['[{(]{101}', /^repeats a part 101 times/],
    ['a{81}', /^is too large: it has \d+ instructions, and the maximum is 80/],
    ['(', /^is not an RE2 expression/],
    ['[z-a]', /^is not an RE2 expression/],
    ['a**', /^is not an RE2 expression/],
    ['\\p{Nope}', /^is not an RE2 expression/],
  ])('rejects %s with the reason', async (expression, problem) => {
    const list = expressionsIn([matches('ok'), matches(expression), matches('(')]);
    expect(await invalidExpression(unlimitedCpu, list)).toEqual({
      path: 'config.assertions.1.value',
      message: expect.stringMatching(problem),
    });
  });

  it.each([
    '(a{10}b{10}){10}',
    '[{9}]{20}',
    '\\{900}',
    '\\Q{900}{900}\\E',
    'a{9}b{99}',
    '(a{9})(b{9})(c{9})',
    'a{50}(b){3}',
    'a{50}(?:b{3}|c)',
    'x{,900}',
  ])('may contain %s: its nested counts multiply to at most 100', (expression) => {
    expect(repetitionError(expression)).toBeUndefined();
  });
});
