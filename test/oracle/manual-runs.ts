import { type ResultItem, resultRecord } from '#lib/results/result.ts';
import { type Change, changesIn, checkIdOf, type Inside, isCheckKey } from './inside.ts';
import { phaseOf } from './rules.ts';

/**
 * Runs by hand: what was answered is stored, once, as it was answered, and judged by the transaction that stores it,
 * unless the settings had changed meanwhile. It never stands at a slot, for which it would speak.
 */
export function checkByHand({ seen }: Inside): string[] {
  const wrong: string[] = [];
  const stored = new Map<string, { result: ResultItem; state: string | undefined }>();
  for (const { key, before, after, commit } of changesIn(seen)) {
    const result = after as ResultItem | undefined;
    if (!key.sk.startsWith('R#') || result?.kind !== 'manual') continue;
    const check_id = checkIdOf(key);
    const check = commit.changes.find((one) => isCheckKey(one.key) && checkIdOf(one.key) === check_id);
    const say = (text: string) => wrong.push(`commit ${commit.n}: the run by hand ${key.sk} of ${check_id} ${text}`);
    if (before) say('was written over');
    if ((check !== undefined) === (result.history === true))
      say(check ? 'is history, and was judged' : 'was not judged');
    if (check && isAtSlot(key, check)) say('stands at a slot');
    const { id } = resultRecord(check_id, result);
    if (stored.has(id)) say('was stored before');
    stored.set(id, { result, state: (check?.after as { state?: string } | undefined)?.state });
  }
  for (const { check_id, answer } of seen.handRuns) {
    const one = stored.get(answer.id);
    const say = (text: string) => wrong.push(`the run by hand ${answer.id} of ${check_id} ${text}`);
    if (!one) say('was answered and is not stored');
    else if (one.result.success !== answer.success) say(`was answered as ${answer.success}, stored otherwise`);
    else if (one.state !== undefined && one.state !== answer.check_state)
      say(`was answered with the state ${answer.check_state}, and came to ${one.state}`);
  }
  return wrong;
}

function isAtSlot({ sk }: Change['key'], { key, after }: Change): boolean {
  const { interval_seconds } = after as unknown as { interval_seconds: number };
  return (Number(sk.split('#')[1]) - phaseOf(checkIdOf(key), interval_seconds)) % (interval_seconds * 1000) === 0;
}
