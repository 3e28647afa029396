import type { ErrorDetail } from '#lib/platform/errors.ts';
import type { CpuJob, TenantCpu } from '#lib/platform/sharing/cpu-budget.ts';
import type { Assertion } from './assertion.ts';
import { takesExpression } from './operators.ts';

/** Number of characters at the beginning of a text that are searched with an expression. */
export const MAX_SEARCHED = 32 * 1024;

/** A valid expression, and the text that it searches. */
export type SearchInput = { expression: string; text: string };

const library = () => import('#lib/checks/assertions/re2.ts');

const matchJob: CpuJob<SearchInput, boolean> = { name: 'match', load: async () => (await library()).isMatch };
const findJob: CpuJob<SearchInput, number> = { name: 'find', load: async () => (await library()).endOfMatch };
const compileJob: CpuJob<string, string | undefined> = {
  name: 'compile',
  load: async () => (await library()).problemIn,
};
export const expressionJobs = [matchJob, findJob, compileJob];

/** Whether each valid expression matches the beginning of its text. Throws CpuLimitError. */
export const areMatches = (cpu: TenantCpu, searches: readonly SearchInput[]): Promise<boolean[]> =>
  cpu(
    matchJob,
    searches.map(({ expression, text }) => ({ expression, text: text.slice(0, MAX_SEARCHED) })),
  );

/** Returns the end of the first match in the beginning of a text; -1 without a match. Throws CpuLimitError. */
export async function endOfMatch(cpu: TenantCpu, expression: string, text: string): Promise<number> {
  const [end = -1] = await cpu(findJob, [{ expression, text: text.slice(0, MAX_SEARCHED) }]);
  return end;
}

export type ExpressionInput = { path: string; text: string };

/** Returns the first invalid expression with the reason. Throws CpuLimitError. */
export async function invalidExpression(
  cpu: TenantCpu,
  expressions: readonly ExpressionInput[],
): Promise<ErrorDetail | undefined> {
  for (const { path, text } of expressions) {
    const message = repetitionError(text) ?? (await cpu(compileJob, [text]))[0];
    if (message !== undefined) return { path, message };
  }
  return undefined;
}

/** Maximum product of nested counted repetitions, which RE2 expands before it counts instructions. */
const MAX_REPETITIONS = 100;

/** Parts of an expression: an escape or a class is one atom. */
const PARTS = /\\Q.*?(?:\\E|$)|\\p\{[^}]*\}|\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|\{(\d+)(?:,(\d*))?\}|./gsu;

/** Returns an error if counted repetitions multiply to more than the maximum. Scans the text once. */
export function repetitionError(text: string): string | undefined {
  // Largest product in each open group, the innermost group last. The first element is the whole expression.
  const largest = [1];
  // Product of the last atom.
  let atom = 1;
  for (const [part, least, most] of text.matchAll(PARTS)) {
    if (part === '(') {
      largest.push(1);
      atom = 1;
    } else if (part === ')' && largest.length > 1) {
      atom = largest.pop()!;
    } else if (least !== undefined) {
      atom *= Math.max(1, Number(least), Number(most ?? 0));
    } else {
      atom = 1;
    }
    if (atom > MAX_REPETITIONS) {
      return `repeats a part ${atom} times, and the maximum is ${MAX_REPETITIONS}; use a smaller count, * or +`;
    }
    largest.push(Math.max(largest.pop()!, atom));
  }
  return undefined;
}

export const expressionsIn = (assertions: readonly Assertion[]): ExpressionInput[] =>
  assertions.flatMap(({ operator, value }, i) =>
    takesExpression(operator) ? [{ path: `config.assertions.${i}.value`, text: String(value) }] : [],
  );
