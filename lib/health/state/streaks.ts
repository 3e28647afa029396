import type { CheckState } from '#lib/catalog/states.ts';
import type { CheckItem, Streak } from '#lib/checks/check-item.ts';
import type { Outcome } from '#lib/checks/outcome.ts';

/** The streaks that a result belongs to; it ends the others. */
const STREAKS: Record<Outcome, readonly Streak[]> = {
  ok: ['goods', 'oks'],
  warn: ['goods', 'bads'],
  fail: ['fails', 'bads'],
};

type Since = Pick<CheckItem, 'streaks_since'>;

/** Since when (epoch ms) each streak lasts with one more result, which was checked at `at`. */
export const streaksWith = ({ streaks_since = {} }: Since, outcome: Outcome, at: number): Since => ({
  streaks_since: Object.fromEntries(STREAKS[outcome].map((streak) => [streak, streaks_since[streak] ?? at])),
});

/**
 * From when on (epoch ms) a state counts that a check comes to: the first result of the streak that decided it
 * (docs/CONTRACT.md#history).
 * @param outcome of the last of these, which was checked at `at`
 */
export function countsFrom(
  check: Since & Pick<CheckItem, 'state'>,
  to: CheckState,
  { outcome, at }: { outcome: Outcome; at: number },
): number {
  return streaksWith(check, outcome, at).streaks_since?.[deciding(check.state, to)] ?? at;
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
