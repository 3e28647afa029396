import { setImmediate as othersTurn } from 'node:timers/promises';
import type { Assertion } from './assertion.ts';
import { takesExpression } from './operators.ts';
import type { Expression } from './re2.ts';

/** So much of a text expressions are looked for in, in characters. */
export const SEARCHED = 32 * 1024;

/** Compiled expressions that are kept: the latest of one process. */
const KEPT = 500;
const kept = new Map<string, Expression>();

/** Loaded when the first expression is met. */
const library = () => import('./re2.ts');

/** The expression of an assertion that was accepted, compiled. */
async function expressionOf(text: string): Promise<Expression> {
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
  const found = compiled(text.slice(0, SEARCHED));
  await othersTurn();
  return found;
}

/** Expressions that cannot be used, by their place in the list. */
export async function wrongExpressions(assertions: readonly Assertion[]): Promise<{ at: number; problem: string }[]> {
  const wrong: { at: number; problem: string }[] = [];
  for (const [at, { operator, value }] of assertions.entries()) {
    if (!takesExpression(operator)) continue;
    const compiled = (await library()).compile(String(value));
    if ('problem' in compiled) wrong.push({ at, problem: compiled.problem });
    await othersTurn();
  }
  return wrong;
}
