import type { CheckState } from '#lib/catalog/states.ts';
import type { CheckItem } from '#lib/checks/check-item.ts';

/** The rules of states, implemented from docs/use/states-and-history.md#states. */

/** Outcome of a result; a success with a warning is "warn". */
export type Outcome = 'ok' | 'warn' | 'fail';
export const outcomeOf = ({
  success,
  warning_message,
}: {
  success: boolean;
  warning_message?: string | undefined;
}): Outcome => (success ? (warning_message ? 'warn' : 'ok') : 'fail');

/** Consecutive results: failures, failures or warnings, successes, successes without a warning. */
type Row = { fails: number; bads: number; goods: number; oks: number };
export type Counters = { state: CheckState } & Row;

/** The counters of each state; others are not counted. */
const WAITS_FOR: Record<CheckState, (keyof Row)[]> = {
  unknown: ['fails', 'bads'],
  up: ['fails', 'bads'],
  degraded: ['fails', 'oks'],
  down: ['goods', 'oks'],
};

const BELONGS: Record<keyof Row, Outcome[]> = {
  fails: ['fail'],
  bads: ['fail', 'warn'],
  goods: ['warn', 'ok'],
  oks: ['ok'],
};

const onlyAwaited = (state: CheckState, row: Row): Counters => {
  const count = (name: keyof Row) => (WAITS_FOR[state].includes(name) ? row[name] : 0);
  return { state, fails: count('fails'), bads: count('bads'), goods: count('goods'), oks: count('oks') };
};

/** Returns the stored counters of a check. */
export function countersOf(check: CheckItem): Counters {
  const { state, consecutive_failures: fails, consecutive_warnings: bads = 0 } = check;
  const { consecutive_successes: successes = 0, consecutive_oks = 0 } = check;
  const oks = state === 'down' ? consecutive_oks : successes;
  return onlyAwaited(state, { fails, bads, goods: successes, oks });
}

export function afterResult(check: CheckItem, outcome: Outcome): Counters {
  const before = countersOf(check);
  const count = (name: keyof Row) => (BELONGS[name].includes(outcome) ? before[name] + 1 : 0);
  const row = { fails: count('fails'), bads: count('bads'), goods: count('goods'), oks: count('oks') };
  return onlyAwaited(stateAfter(check, row, outcome), row);
}

function stateAfter(
  { state, failure_threshold, recovery_threshold }: CheckItem,
  row: Row,
  outcome: Outcome,
): CheckState {
  const isWell = row.oks >= recovery_threshold;
  if (state === 'down') return row.goods < recovery_threshold ? 'down' : isWell ? 'up' : 'degraded';
  if (row.fails >= failure_threshold) return 'down';
  if (state === 'degraded') return isWell ? 'up' : 'degraded';
  if (row.bads >= failure_threshold) return 'degraded';
  return outcome === 'fail' ? state : 'up';
}

export const isSame = (a: Counters, b: Counters): boolean =>
  a.state === b.state && a.fails === b.fails && a.bads === b.bads && a.goods === b.goods && a.oks === b.oks;

export const isChanged = (check: CheckItem, outcome: Outcome): boolean =>
  !isSame(afterResult(check, outcome), countersOf(check));

/** Whether a check waits for further results: one of its counters has started but not reached its threshold. */
export function isUnconfirmed(check: CheckItem): boolean {
  const { fails, bads, goods, oks } = countersOf(check);
  const hasBegun = (count: number, threshold: number) => 0 < count && count < threshold;
  const { failure_threshold, recovery_threshold } = check;
  const isFailing = hasBegun(fails, failure_threshold) || hasBegun(bads, failure_threshold);
  return isFailing || hasBegun(Math.max(goods, oks), recovery_threshold);
}

export const textOf = ({ state, fails, bads, goods, oks }: Counters): string =>
  `${state} (${fails} fails, ${bads} bads, ${goods} goods, ${oks} oks)`;
