import { setImmediate as othersTurn } from 'node:timers/promises';
import type { ErrorDetail } from '#lib/platform/errors.ts';
import type { Assertion } from './assertion.ts';
import { takesExpression } from './operators.ts';
import type { Expression } from './re2.ts';

/** So much of a text expressions are looked for in, in characters. */
export const SEARCHED = 32 * 1024;

/** Compiled expressions that are kept: the latest of one process. */
const KEPT = 500;
const kept = new Map<string, Expression>();

/** Loaded when the first expression is met. */
const library = () => import('#lib/checks/assertions/re2.ts');

/** An expression that was accepted, compiled. */
export async function expressionOf(text: string): Promise<Expression> {
  const known = kept.get(text);
  if (known) return known;
  const compiled = (await library()).compile(text);
  if ('problem' in compiled) throw new Error(`An expression was stored that ${compiled.problem}.`);
  if (kept.size >= KEPT) kept.delete(kept.keys().next().value!);
  kept.set(text, compiled);
  return compiled;
}

/** Whether an expression is found in a text. It ends the turn of the event loop: two may take too long for one. */
export async function isFound(expression: string, text: string): Promise<boolean> {
  const compiled = await expressionOf(expression);
  const found = compiled.isIn(text.slice(0, SEARCHED));
  await othersTurn();
  return found;
}

/** An expression that somebody has written, and where it stands. */
export type Written = { path: string; text: string };

/** Those that cannot be used, each with the reason. */
export async function wrongExpressions(expressions: readonly Written[]): Promise<ErrorDetail[]> {
  const wrong: ErrorDetail[] = [];
  for (const { path, text } of expressions) {
    const compiled = (await library()).compile(text);
    if ('problem' in compiled) wrong.push({ path, message: compiled.problem });
    await othersTurn();
  }
  return wrong;
}

/** The expressions in assertions. */
export const expressionsIn = (assertions: readonly Assertion[]): Written[] =>
  assertions.flatMap(({ operator, value }, i) =>
    takesExpression(operator) ? [{ path: `config.assertions.${i}.value`, text: String(value) }] : [],
  );
