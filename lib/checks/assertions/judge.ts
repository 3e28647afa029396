import { once } from '#lib/platform/late.ts';
import type { Assertion } from './assertion.ts';
import type { Facts } from './facts.ts';
import type { AssertionErrorKind } from './sources.ts';

/** An assertion as it was judged. `actual`: what was found, in words; null where there was nothing. */
export type Judged = Assertion & { passed: boolean; actual: string | null };

/** Why an assertion does not hold. */
type Complaint = { kind: AssertionErrorKind; message: string };

/** What came of all assertions of a check, in their order. `judged` is empty where nobody is shown it. */
export type Verdict = { failures: Complaint[]; warnings: Complaint[]; judged: Judged[] };

const loaded = once(() => import('#lib/checks/assertions/judge-all.ts'));

/**
 * Judges each assertion by itself, in their order (docs/CONTRACT.md#assertions). How, is loaded when the first one is
 * met: most checks have none.
 * @param shows whether somebody is shown how each was judged
 */
export async function judge(
  assertions: readonly Assertion[] | undefined,
  facts: Facts,
  shows: boolean,
): Promise<Verdict> {
  if (!assertions || assertions.length === 0) return { failures: [], warnings: [], judged: [] };
  const { judgeAll } = await loaded();
  return judgeAll(assertions, facts, shows);
}
