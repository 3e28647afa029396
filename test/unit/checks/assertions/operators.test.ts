import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Assertion } from '#lib/checks/assertions/assertion.ts';
import { evaluateAssertions } from '#lib/checks/assertions/evaluate.ts';
import type { ProbeFacts } from '#lib/checks/assertions/observation.ts';
import { unlimitedCpu } from '#test/support/probe-world.ts';

const factsOf = (text: string): ProbeFacts => ({
  body: { text, bytes: Buffer.byteLength(text), isCut: false, type: '' },
});
const one = (assertion: object): Assertion => ({ severity: 'fail', ...assertion }) as Assertion;
const json = (property: string, operator: string, value?: unknown) =>
  one({ source: 'json', property, operator, ...(value !== undefined && { value }) });

describe('operators', () => {
  const TWINS = [
    ['equals', 'not_equals'],
    ['one_of', 'not_one_of'],
    ['contains', 'not_contains'],
    ['matches', 'not_matches'],
    ['exists', 'not_exists'],
  ] as const;
  const scalar = fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.constant(null));
  const words = fc.constantFrom('a', 'b', 'ab', '(?i)A', '^b');

  it('contradict their negation for any JSON, and for a missing value', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.jsonValue(),
        fc.constantFrom('$', '$.a', '$[0]'),
        fc.constantFrom(...TWINS),
        scalar,
        words,
        async (root, property, [yes, no], wanted, word) => {
          const value = yes === 'one_of' ? [wanted] : yes === 'equals' ? wanted : yes === 'exists' ? undefined : word;
          const facts = factsOf(JSON.stringify(root));
          const both = [json(property, yes, value), json(property, no, value)];
          const { evaluated } = await evaluateAssertions(both, facts, { cpu: unlimitedCpu, withDetails: true });
          expect(evaluated[0]!.passed).toBe(!evaluated[1]!.passed);
        },
      ),
    );
  });

  it('order numbers correctly', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer(), fc.integer(), async (found, wanted) => {
        const names = ['less_than', 'at_most', 'at_least', 'greater_than'] as const;
        const list = names.map((operator) => one({ source: 'latency_ms', operator, value: wanted }));
        const { evaluated } = await evaluateAssertions(
          list,
          { latency_ms: found },
          { cpu: unlimitedCpu, withDetails: true },
        );
        expect(evaluated.map(({ passed }) => passed)).toEqual([
          found < wanted,
          found <= wanted,
          found >= wanted,
          found > wanted,
        ]);
      }),
    );
  });

  it('never throw for any bytes of a body', async () => {
    const list = [
      json('$', 'equals', 1),
      json('$.a.b[0].length', 'greater_than', 1),
      one({ source: 'body', operator: 'contains', value: 'needle' }),
      one({ source: 'body', operator: 'matches', value: '(?s)(a|b)+.*c$' }),
      one({ source: 'body', operator: 'one_of', value: ['', 'a'] }),
    ];
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 300 }), async (bytes) => {
        const facts = factsOf(new TextDecoder().decode(bytes));
        expect(
          (await evaluateAssertions(list, facts, { cpu: unlimitedCpu, withDetails: true })).evaluated,
        ).toHaveLength(list.length);
      }),
    );
  });
});
