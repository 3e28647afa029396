import * as z from 'zod';
import { lazy } from '#lib/platform/lazy.ts';
import type { TenantCpu } from '#lib/platform/sharing/cpu-budget.ts';
import { type Assertion, VALUE } from './assertion.ts';
import type { ProbeFacts } from './observation.ts';
import { OPERATORS } from './operators.ts';
import { type AssertionErrorKind, SOURCE_NAMES } from './sources.ts';

/** An evaluated assertion. `actual`: found value as text, null if nothing was found. */
export type AssertionResult = Assertion & { passed: boolean; actual: string | null };

type AssertionFailure = { kind: AssertionErrorKind; message: string };

/** Results of all assertions of a check, in order. `evaluated` is empty if details were not requested. */
export type AssertionResults = {
  failures: AssertionFailure[];
  warnings: AssertionFailure[];
  evaluated: AssertionResult[];
};

/** `withDetails`: whether to return the result of each assertion. */
export type EvaluationOptions = { cpu: TenantCpu; withDetails?: boolean };

// Most checks have no assertions.
const loaded = lazy(() => import('#lib/checks/assertions/evaluate-all.ts'));

/** Evaluates each assertion independently, in order (docs/use/assertions.md#evaluation). Throws CpuLimitError. */
export async function evaluateAssertions(
  assertions: readonly Assertion[] | undefined,
  facts: ProbeFacts,
  options: EvaluationOptions,
): Promise<AssertionResults> {
  if (!assertions || assertions.length === 0) return { failures: [], warnings: [], evaluated: [] };
  const { evaluateAll } = await loaded();
  return evaluateAll(assertions, facts, options);
}

const anyOf = (names: readonly string[]) => z.enum(names);

/** Results of assertions in a settings test, in order. */
export const AssertionResultList = z
  .array(
    z
      .object({
        source: anyOf(SOURCE_NAMES).describe('Part of the response that was compared.'),
        property: z.string().describe('json: path of the value. header: name of the header.').optional(),
        operator: anyOf(Object.keys(OPERATORS)).describe('Comparison.'),
        value: z.unknown().meta({ anyOf: VALUE }).describe('Expected value.').optional(),
        severity: z.enum(['fail', 'warn']).describe('Effect if the condition is not met: fail or warn.'),
        passed: z.boolean().describe('Whether the condition is met.'),
        actual: z.string().nullable().describe('Found value as text; null if nothing was found.'),
      })
      .meta({ id: 'JudgedAssertion' }),
  )
  .describe('Result of each assertion, in order; empty if none could be evaluated.');
