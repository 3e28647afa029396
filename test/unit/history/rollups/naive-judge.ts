import type { CheckState } from '#lib/catalog/states.ts';
import type { CheckItem } from '#lib/checks/check-item.ts';
import type { Outcome } from '#lib/checks/outcome.ts';
import type { Told } from './naive-history.ts';

type Judged = { outcome: Outcome; at: number };

/** What a check is, and every result that it was judged by since it was made or enabled. */
export type Standing = { state: CheckState; judged: Judged[] };

/**
 * What holds after one more result, and since when: by the results at the end that are alike
 * (docs/use/states-and-history.md#states).
 */
export function judge(teller: Standing & { told: Told; check: CheckItem }, outcome: Outcome, at: number): void {
  const { state, judged } = teller;
  judged.push({ outcome, at });
  const { failure_threshold: most, recovery_threshold: enough } = teller.check;
  const last = (...alike: Outcome[]) => judged.slice(judged.findLastIndex((one) => !alike.includes(one.outcome)) + 1);
  const [fails, bads, goods, oks] = [last('fail'), last('fail', 'warn'), last('ok', 'warn'), last('ok')];
  const become = (next: CheckState, since: Judged[]) => {
    if (next === state) return;
    teller.state = next;
    const from = Math.max((since[0] ?? { at }).at, teller.told.states.at(-1)?.from ?? 0);
    teller.told.states.push({ from, state: next });
  };
  if (state === 'down') {
    if (goods.length >= enough) become(oks.length >= enough ? 'up' : 'degraded', goods);
  } else if (fails.length >= most) become('down', fails);
  else if (state === 'degraded') {
    if (oks.length >= enough) become('up', oks);
  } else if (bads.length >= most) become('degraded', bads);
  else if (outcome !== 'fail') become('up', oks);
}
