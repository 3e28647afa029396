import type { CheckItem } from '#lib/checks/check-item.ts';
import type { ResultItem } from '#lib/results/result.ts';
import { type Change, changesIn, checkIdOf, type Inside, isCheckKey } from './inside.ts';
import { packKeyOf } from './outcomes.ts';
import { isSame, standingOf } from './state-counters.ts';

/**
 * What is asked because something that depends on it failed is evidence and no result: whoever asks writes no result
 * and no gap, and moves no counter and no state. Silence may be found beside it.
 */
export function checkAsking({ seen }: Inside): string[] {
  const asking = new Set(
    changesIn(seen).flatMap(({ key, commit }) => (key.pk.includes('#ASKED#') ? [commit.run ?? -1] : [])),
  );
  return changesIn(seen).flatMap((change) => {
    const { run, at, changes } = change.commit;
    if (!asking.has(run ?? -1)) return [];
    const { key, before, after } = change;
    if (packKeyOf(key)) return [`a look at ${at} wrote the pack ${key.pk} ${key.sk}`];
    if (isResult(change)) return isSilence(change) ? [] : [`a look at ${at} wrote the result ${key.pk} ${key.sk}`];
    if (!isCheckKey(key) || !before || !after) return [];
    const isSilent = changes.some((one) => isSilence(one) && checkIdOf(one.key) === checkIdOf(key));
    if (isSilent || isSame(standingOf(before as CheckItem), standingOf(after as CheckItem))) return [];
    return [`a look at ${at} moved ${checkIdOf(key)}`];
  });
}

const isResult = ({ key }: Change): boolean => key.sk.startsWith('R#');

const isSilence = (change: Change): boolean =>
  isResult(change) && ['missed_heartbeat', 'overrun'].includes((change.after as ResultItem | undefined)?.error_kind ?? '');
