import { type CheckItem, nextCheck, replaceCheck } from '#lib/checks/check-item.ts';
import type { Outcome } from '#lib/checks/outcome.ts';
import type { DueDeadline } from '#lib/messages.ts';
import type { Write } from '#lib/platform/ports.ts';
import { changeState } from './change-state.ts';
import { countsFrom, isSameState, keptStreaks, nextState } from './next-state.ts';
import type { StateEnv } from './on-change.ts';

type AppliedResult = {
  outcome: Outcome;
  /** State and counters after the result, if the caller has computed them. */
  next?: ReturnType<typeof nextState>;
  /** Time of the result (epoch ms): start of the probe, time of the push, or missed deadline. */
  ran_at: number;
  reason: string;
  cause: 'result' | 'missed_heartbeat';
  retention_days: number;
  /** Further changes of the check item; if set, the item is always written. */
  also?: Partial<CheckItem>;
  removed?: readonly (keyof CheckItem)[];
};

const earlierWarning = ({ recovery_threshold: threshold }: CheckItem): string =>
  `no failure in the last ${threshold} results, but a warning: degraded until ${threshold} consecutive results have no failure or warning`;

type ResultChanges = { writes: Write[]; deadlines: DueDeadline[] };

/**
 * Returns the writes of a result: the check item if counters change, also transition, entity and feed entry if the
 * state changes; undefined if the entity is missing. They depend on the versions read: commit them with the result.
 */
export async function applyResult(
  env: StateEnv,
  check: CheckItem,
  result: AppliedResult,
): Promise<ResultChanges | undefined> {
  const { ports, keys } = env;
  const { outcome, ran_at } = result;
  const counted = { outcome, at: ran_at };
  const { state, ...counters } = result.next ?? nextState(check, outcome);
  const streaks_since = keptStreaks(check, state, counted);
  const nextCounters = { ...counters, ...(streaks_since && { streaks_since }) };
  const removed = [...(result.removed ?? []), ...(streaks_since ? [] : (['streaks_since'] as const))];
  if (isSameState({ state, ...counters }, check) && !result.also) return { writes: [], deadlines: [] };
  const token = ports.ids.token();
  if (state === check.state) {
    const next = nextCheck(check, token, { ...result.also, ...nextCounters }, removed);
    return { writes: [replaceCheck(check, next)], deadlines: [] };
  }
  const read = await env.onChange.read(env, check);
  if (!read) return undefined;
  const { cause, reason, retention_days } = result;
  const now = ports.clock.now();
  const change = changeState(keys, token, read, {
    check,
    to: state,
    cause,
    effective_at: countsFrom(check, state, counted),
    error_message: reason === '' && state === 'degraded' ? earlierWarning(check) : reason,
    now,
    retention_days,
  });
  const next = nextCheck(check, token, { ...result.also, ...nextCounters, ...change.check }, removed);
  return { writes: [replaceCheck(check, next), ...change.writes], deadlines: change.deadlines };
}
