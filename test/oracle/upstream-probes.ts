import type { CheckItem } from '#lib/checks/check-item.ts';
import type { ResultItem } from '#lib/results/result.ts';
import { type Change, changesIn, checkIdOf, type Inside, isCheckKey } from './inside.ts';
import { packKeyOf } from './outcomes.ts';
import { countersOf, isSame } from './state-counters.ts';

/**
 * Promise: an upstream probe is evidence and not a result. Its function run writes no result and no gap, and changes no
 * counter and no state; the only exception is a missed heartbeat that the run records.
 */
export function checkUpstreamProbes({ seen }: Inside): string[] {
  const probingRuns = new Set(
    changesIn(seen).flatMap(({ key, commit }) => (key.pk.includes('#UPSTREAM_PROBES#') ? [commit.run ?? -1] : [])),
  );
  return changesIn(seen).flatMap((change) => {
    const { run, at, changes } = change.commit;
    if (!probingRuns.has(run ?? -1)) return [];
    const { key, before, after } = change;
    if (packKeyOf(key)) return [`an upstream probe at ${at} wrote the pack ${key.pk} ${key.sk}`];
    if (isResult(change))
      return isMissedHeartbeat(change) ? [] : [`an upstream probe at ${at} wrote the result ${key.pk} ${key.sk}`];
    if (!isCheckKey(key) || !before || !after) return [];
    const isMissed = changes.some((one) => isMissedHeartbeat(one) && checkIdOf(one.key) === checkIdOf(key));
    if (isMissed || isSame(countersOf(before as CheckItem), countersOf(after as CheckItem))) return [];
    return [`an upstream probe at ${at} changed check ${checkIdOf(key)}`];
  });
}

const isResult = ({ key }: Change): boolean => key.sk.startsWith('R#');

const isMissedHeartbeat = (change: Change): boolean =>
  isResult(change) &&
  ['missed_heartbeat', 'overrun'].includes((change.after as ResultItem | undefined)?.error_kind ?? '');
