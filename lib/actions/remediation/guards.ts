import { accountLimit, lock, storm } from '#lib/actions/remediation/guards/account.ts';
import { acknowledged, alreadyHealthy, dependency, maintenance } from '#lib/actions/remediation/guards/failure.ts';
import { attempts, cooldown } from '#lib/actions/remediation/guards/series.ts';
import type { Guard, GuardName, GuardSituation } from './guard.ts';

/**
 * All guards, in the order in which they are asked (docs/CONTRACT.md#remediation): the first that stops an attempt is
 * why.
 */
export const GUARDS: readonly Guard[] = [
  alreadyHealthy,
  dependency,
  maintenance,
  acknowledged,
  attempts,
  cooldown,
  lock,
  accountLimit,
  storm,
];

/** Why an attempt is not made: which guard, in a sentence, and what else it says. */
export type Stopped = { guard: GuardName; why: string; until?: number; waits?: true };

/** Pure: the first guard that stops an attempt; undefined where it may be made. */
export function firstToStop(situation: GuardSituation, list: readonly Guard[] = GUARDS): Stopped | undefined {
  for (const guard of list) {
    const { stops, ...rest } = guard.judge(situation);
    if (stops !== undefined) return { guard: guard.name, why: stops, ...rest };
  }
  return undefined;
}
