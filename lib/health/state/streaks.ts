import type { CheckState } from '#lib/catalog/states.ts';
import type { CheckItem, Streak } from '#lib/checks/check-item.ts';
import type { Outcome } from '#lib/checks/outcome.ts';

/** The streaks that a result belongs to; it ends the others. */
const STREAKS: Record<Outcome, readonly Streak[]> = {
  ok: ['goods', 'oks'],
  warn: ['goods', 'bads'],
  fail: ['fails', 'bads'],
};

/** The streaks that can end a state. */
const AWAITED: Record<CheckState, readonly Streak[]> = {
  unknown: ['fails', 'bads'],
  up: ['fails', 'bads'],
  degraded: ['fails', 'oks'],
  down: ['goods', 'oks'],
};

type Since = Pick<CheckItem, 'streaks_since'>;
type Judged = { outcome: Outcome; at: number };

/** Since when (epoch ms) a streak lasts with one more result, which was checked at `at`; undefined if that ends it. */
const sinceWith = ({ streaks_since }: Since, streak: Streak, { outcome, at }: Judged): number | undefined =>
  STREAKS[outcome].includes(streak) ? (streaks_since?.[streak] ?? at) : undefined;

/** What is kept of the streaks with one more result, which brings or leaves the check in a state; or nothing. */
export function keptStreaks(check: Since, state: CheckState, judged: Judged): CheckItem['streaks_since'] {
  const kept = AWAITED[state].flatMap((streak) => {
    const since = sinceWith(check, streak, judged);
    return since === undefined ? [] : [[streak, since]];
  });
  return kept.length > 0 ? Object.fromEntries(kept) : undefined;
}

/**
 * From when on (epoch ms) a state counts that a check comes to: the first result of the streak that decided it
 * (docs/CONTRACT.md#history).
 * @param outcome of the last of these, which was checked at `at`
 */
export function countsFrom(check: Since & Pick<CheckItem, 'state'>, to: CheckState, judged: Judged): number {
  return sinceWith(check, deciding(check.state, to), judged) ?? judged.at;
}

function deciding(from: CheckState, to: CheckState): Streak {
  switch (to) {
    case 'down':
      return 'fails';
    case 'degraded':
      return from === 'down' ? 'goods' : 'bads';
    case 'up':
    case 'unknown':
      return 'oks';
  }
}
