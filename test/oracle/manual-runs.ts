import type { ResultItem } from '#lib/results/result.ts';
import { resultRecord } from '#lib/results/result-record.ts';
import { type Change, changesIn, checkIdOf, type Inside, isCheckKey } from './inside.ts';
import { phaseOf } from './rules.ts';

/**
 * Promise: the result of a manual run is stored once, as returned, and counts in the transaction that stores it, unless
 * the settings had changed in between. It is never stored at a slot, whose result it would replace.
 */
export function checkManualRuns({ seen }: Inside): string[] {
  const wrong: string[] = [];
  const stored = new Map<string, { result: ResultItem; state: string | undefined }>();
  for (const { key, before, after, commit } of changesIn(seen)) {
    const result = after as ResultItem | undefined;
    if (!key.sk.startsWith('R#') || result?.kind !== 'manual') continue;
    const check_id = checkIdOf(key);
    const check = commit.changes.find((one) => isCheckKey(one.key) && checkIdOf(one.key) === check_id);
    const say = (text: string) =>
      wrong.push(`commit ${commit.n}: the manual run ${key.sk} of check ${check_id} ${text}`);
    if (before) say('was overwritten');
    if ((check !== undefined) === (result.record_only === true))
      say(check ? 'is recorded only, but counted' : 'did not count');
    if (check && isAtSlot(key, check)) say('is stored at a slot');
    const { id } = resultRecord(check_id, result);
    if (stored.has(id)) say('was stored twice');
    stored.set(id, { result, state: (check?.after as { state?: string } | undefined)?.state });
  }
  for (const { check_id, answer } of seen.manualRuns) {
    const one = stored.get(answer.id);
    const say = (text: string) => wrong.push(`the manual run ${answer.id} of check ${check_id} ${text}`);
    if (!one) say('was returned but is not stored');
    else if (one.result.success !== answer.success)
      say(`was returned with success ${answer.success}, but stored with ${one.result.success}`);
    else if (one.state !== undefined && one.state !== answer.check_state)
      say(`was returned with the state ${answer.check_state}, but led to ${one.state}`);
  }
  return wrong;
}

function isAtSlot({ sk }: Change['key'], { key, after }: Change): boolean {
  const { interval_seconds } = after as unknown as { interval_seconds: number };
  return (Number(sk.split('#')[1]) - phaseOf(checkIdOf(key), interval_seconds)) % (interval_seconds * 1000) === 0;
}
