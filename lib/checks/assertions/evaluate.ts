import * as z from 'zod';
import { lazy } from '#lib/platform/lazy.ts';
import { type Assertion, VALUE } from './assertion.ts';
import type { ProbeFacts } from './observation.ts';
import { OPERATORS } from './operators.ts';
import { type AssertionErrorKind, SOURCE_NAMES } from './sources.ts';

/** An assertion as it was judged. `actual`: what was found, in words; null where there was nothing. */
export type AssertionResult = Assertion & { passed: boolean; actual: string | null };

/** Why an assertion does not hold. */
type Complaint = { kind: AssertionErrorKind; message: string };

/** What came of all assertions of a check, in their order. `judged` is empty where nobody is shown it. */
export type AssertionResults = { failures: Complaint[]; warnings: Complaint[]; judged: AssertionResult[] };

const loaded = lazy(() => import('#lib/checks/assertions/evaluate-all.ts'));

/**
 * Judges each assertion by itself, in their order (docs/use/assertions.md#evaluation). How, is loaded when the first
 * one is met: most checks have none.
 * @param shows whether somebody is shown how each was judged
 */
export async function evaluateAssertions(
  assertions: readonly Assertion[] | undefined,
  facts: ProbeFacts,
  shows: boolean,
): Promise<AssertionResults> {
  if (!assertions || assertions.length === 0) return { failures: [], warnings: [], judged: [] };
  const { evaluateAll: judgeAll } = await loaded();
  return judgeAll(assertions, facts, shows);
}

const known = (names: readonly string[]) => z.enum(names);

/** Assertions as a trial shows them, in their order. */
export const AssertionResultList = z
  .array(
    z
      .object({
        source: known(SOURCE_NAMES).describe('What of the answer it is about.'),
        property: z.string().describe('Path, or name of a header.').optional(),
        operator: known(Object.keys(OPERATORS)).describe('How the two are compared.'),
        value: z.unknown().meta({ anyOf: VALUE }).describe('What it is compared with.').optional(),
        severity: z.enum(['fail', 'warn']).describe('What it means when it does not hold.'),
        passed: z.boolean().describe('Whether it holds.'),
        actual: z.string().nullable().describe('What was found, in words; null where there is nothing.'),
      })
      .meta({ id: 'JudgedAssertion' }),
  )
  .describe('How each assertion was judged, in their order; empty when nothing could be judged.');
