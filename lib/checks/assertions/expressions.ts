import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ErrorDetail } from '#lib/platform/errors.ts';
import type { Assertion } from './assertion.ts';
import { takesExpression } from './operators.ts';
import type { Expression } from './re2.ts';

/** Characters of a text that are searched with an expression. */
export const MAX_SEARCHED = 32 * 1024;

const MAX_CACHED = 500;
const cache = new Map<string, Expression>();

const library = () => import('#lib/checks/assertions/re2.ts');

/** Returns a valid expression, compiled. */
export async function expressionOf(text: string): Promise<Expression> {
  const known = cache.get(text);
  if (known) return known;
  const compiled = (await library()).compile(text);
  if ('problem' in compiled) throw new Error(`A stored expression ${compiled.problem}.`);
  if (cache.size >= MAX_CACHED) cache.delete(cache.keys().next().value!);
  cache.set(text, compiled);
  return compiled;
}

/** Whether an expression matches. Yields, because two searches can be too long for one turn of the event loop. */
export async function isFound(expression: string, text: string): Promise<boolean> {
  const compiled = await expressionOf(expression);
  const found = compiled.isIn(text.slice(0, MAX_SEARCHED));
  await nextTurn();
  return found;
}

/** An expression in settings, and its path. */
export type ExpressionInput = { path: string; text: string };

/** Returns the invalid expressions with the reason. */
export async function invalidExpressions(expressions: readonly ExpressionInput[]): Promise<ErrorDetail[]> {
  const invalidOnes: ErrorDetail[] = [];
  for (const { path, text } of expressions) {
    const compiled = (await library()).compile(text);
    if ('problem' in compiled) invalidOnes.push({ path, message: compiled.problem });
    await nextTurn();
  }
  return invalidOnes;
}

/** Returns the expressions in assertions. */
export const expressionsIn = (assertions: readonly Assertion[]): ExpressionInput[] =>
  assertions.flatMap(({ operator, value }, i) =>
    takesExpression(operator) ? [{ path: `config.assertions.${i}.value`, text: String(value) }] : [],
  );
