import { type CheckItem, nextCheck, replaceCheck } from '#lib/checks/check-item.ts';
import type { Outcome } from '#lib/checks/outcome.ts';
import type { DueDeadline } from '#lib/messages.ts';
import type { Write } from '#lib/platform/ports.ts';
import { changeState } from './change-state.ts';
import { countsFrom, isSameState, keptStreaks, nextState } from './next-state.ts';
import type { StateEnv } from './on-change.ts';

type AppliedResult = {
  outcome: Outcome;
  /** State and counters of the check with it, if the caller has computed them. */
  next?: ReturnType<typeof nextState>;
  /** Epoch ms: when it was checked. */
  ran_at: number;
  /** The error or warning that a transition by it holds. */
  reason: string;
  cause: 'result' | 'missed_heartbeat';
  retention_days: number;
  /** What else changes on the check item; given, the item is written even if its state stays. */
  also?: Partial<CheckItem>;
  forget?: readonly (keyof CheckItem)[];
};

/** Why a check that was down is degraded by a result that has nothing to complain of. */
const earlierWarning = ({ recovery_threshold: wanted }: CheckItem): string =>
  `no failure in the last ${wanted} results, but a warning: degraded until ${wanted} in a row have none`;

/** Writes for the transaction of a result, and the deadlines to send (sendTimers) once it is done. */
type Changes = { writes: Write[]; deadlines: DueDeadline[] };

/**
 * The writes by which a result changes its check: none when it changes nothing, the check item when only the counter
 * moves, and the transition with entity and feed when the state does. Undefined when the entity is gone. All of it
 * holds the items to the versions it was decided on; write it with the result in one transaction.
 */
export async function applyResult(
  env: StateEnv,
  check: CheckItem,
  result: AppliedResult,
): Promise<Changes | undefined> {
  const { ports, keys } = env;
  const { outcome, ran_at } = result;
  const judged = { outcome, at: ran_at };
  const { state, ...counters } = result.next ?? nextState(check, outcome);
  const streaks_since = keptStreaks(check, state, judged);
  const counted = { ...counters, ...(streaks_since && { streaks_since }) };
  const forget = [...(result.forget ?? []), ...(streaks_since ? [] : (['streaks_since'] as const))];
  if (isSameState({ state, ...counters }, check) && !result.also) return { writes: [], deadlines: [] };
  const token = ports.ids.token();
  if (state === check.state) {
    const next = nextCheck(check, token, { ...result.also, ...counted }, forget);
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
    effective_at: countsFrom(check, state, judged),
    error_message: reason === '' && state === 'degraded' ? earlierWarning(check) : reason,
    now,
    retention_days,
  });
  const next = nextCheck(check, token, { ...result.also, ...counted, ...change.check }, forget);
  return { writes: [replaceCheck(check, next), ...change.writes], deadlines: change.deadlines };
}
