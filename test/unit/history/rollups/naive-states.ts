import type { CheckState } from '#lib/catalog/states.ts';
import type { CheckItem } from '#lib/checks/check-item.ts';
import type { Outcome } from '#lib/checks/outcome.ts';
import type { Reference } from './naive-history.ts';

type AppliedResult = { outcome: Outcome; at: number };

/** State of a check, and the results applied since it was created or enabled. */
export type NaiveState = { state: CheckState; applied: AppliedResult[] };

/** Applies a result by the reference rules, which count streaks (docs/use/states-and-history.md#states). */
export function applyNaively(
  recorder: NaiveState & { reference: Reference; check: CheckItem },
  outcome: Outcome,
  at: number,
): void {
  const { state, applied } = recorder;
  applied.push({ outcome, at });
  const { failure_threshold, recovery_threshold } = recorder.check;
  const last = (...alike: Outcome[]) => applied.slice(applied.findLastIndex((one) => !alike.includes(one.outcome)) + 1);
  const [fails, bads, goods, oks] = [last('fail'), last('fail', 'warn'), last('ok', 'warn'), last('ok')];
  const become = (next: CheckState, since: AppliedResult[]) => {
    if (next === state) return;
    recorder.state = next;
    const from = Math.max((since[0] ?? { at }).at, recorder.reference.states.at(-1)?.from ?? 0);
    recorder.reference.states.push({ from, state: next });
  };
  if (state === 'down') {
    if (goods.length >= recovery_threshold) become(oks.length >= recovery_threshold ? 'up' : 'degraded', goods);
  } else if (fails.length >= failure_threshold) become('down', fails);
  else if (state === 'degraded') {
    if (oks.length >= recovery_threshold) become('up', oks);
  } else if (bads.length >= failure_threshold) become('degraded', bads);
  else if (outcome !== 'fail') become('up', oks);
}
