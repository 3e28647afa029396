import type { ActionItem } from '#lib/actions/action-item.ts';
import type { ExecutionItem } from '#lib/actions/execution.ts';
import type { LockItem } from '#lib/actions/remediation/attempt-limits.ts';
import type { AlertItem } from '#lib/alerting/decide/alert-item.ts';
import { resultRecord } from '#lib/results/result-record.ts';
import type { History } from './history.ts';
import { type Change, changesIn, checkIdOf, type Inside, keyText } from './inside.ts';
import { skewOf } from './rules.ts';

/** Maximum time from the end of the lock of an attempt to its verification, without faults (ms). */
const VERIFIED_MS = 4 * 60_000;

/** An attempt of a remediation: the time of its claim, its lock, and its verification. */
type Attempt = {
  n: number;
  /** Time at which its claim was written. */
  at: number;
  /** Recorded start of its execution; the claim can have been delayed. */
  began_at: number;
  /** Start of the function run that claimed it. */
  called_at: number;
  execution: ExecutionItem;
  action: ActionItem;
  lock: string;
  /** Time at which the lock expires, by the clock of its machine (epoch ms). */
  until: number;
  /** The commit of its verification. */
  verified?: { n: number; at: number; execution: ExecutionItem };
};

/**
 * Promise: a remediation has at most max_attempts attempts in a series, each after the cooldown of the last; attempts
 * with the same lock do not overlap; a skipped attempt is not sent; and each attempt is finally verified, in accordance
 * with its result.
 */
export function checkRemediation(history: History, inside: Inside): string[] {
  const attempts = attemptsIn(inside);
  return [
    ...checkSeries(attempts, inside),
    ...checkLocks(attempts, inside),
    ...checkVerdicts(attempts, inside),
    ...checkSkipped(history),
    ...checkReported(inside),
  ];
}

function attemptsIn({ seen }: Inside): Attempt[] {
  const attempts = new Map<string, Attempt>();
  const actions = new Map<string, ActionItem>();
  for (const { key, before, after, commit } of changesIn(seen)) {
    if (key.sk.startsWith('act_') && after) actions.set(key.sk, after as ActionItem);
    const [old, execution] = [before, after] as (ExecutionItem | undefined)[];
    if (key.sk !== 'EXECUTION' || !execution || execution.attempt === null) continue;
    const { n, at, changes, run } = commit;
    const known = attempts.get(execution.id);
    if (known && execution.verdict !== null && old?.verdict === null) known.verified = { n, at, execution };
    const lock = changes.find(isLock)?.after as LockItem | undefined;
    if (old || !lock) continue;
    const action = actions.get(execution.action_id)!;
    const name = lock.pk.split('#LOCK#')[1]!;
    const times = { at, began_at: Date.parse(execution.created_at), called_at: seen.runs.get(run!)!.began_at };
    attempts.set(execution.id, { n, ...times, execution, action, lock: name, until: lock.until });
  }
  return [...attempts.values()];
}

const isLock = ({ key }: Change): boolean => key.sk === 'LOCK';

/** Numbers of a series increase by one, up to max_attempts; a new series needs another failure. */
function checkSeries(attempts: readonly Attempt[], inside: Inside): string[] {
  const wrong: string[] = [];
  const skew = skewOf(inside);
  const transitions = new Map(
    [...changesIn(inside.seen)].flatMap(({ key, after }) =>
      key.sk.startsWith('TR#') && after
        ? [[(after as unknown as { transition_id: string }).transition_id, Number(key.sk.slice(3, 16))] as const]
        : [],
    ),
  );
  for (const own of Map.groupBy(attempts, ({ execution }) => execution.action_id).values()) {
    for (const [i, { execution, action, at, began_at, called_at }] of own.entries()) {
      const { id, transition_id, attempt } = execution;
      const { max_attempts, cooldown_seconds, stable_seconds } = action.remediation!;
      if (attempt! > max_attempts) wrong.push(`execution ${id} is attempt ${attempt} of at most ${max_attempts}`);
      if (began_at < called_at - skew || began_at > at + skew)
        wrong.push(`execution ${id} has the start ${began_at}, but started between ${called_at} and ${at}`);
      const before = own[i - 1];
      if (!before || before.action.check_id !== action.check_id) continue;
      if (before.execution.attempt! + 1 !== attempt && attempt !== 1)
        wrong.push(`execution ${id} is attempt ${attempt} after attempt ${before.execution.attempt}`);
      if (began_at < before.began_at + cooldown_seconds * 1000 - skew && before.action.v === action.v)
        wrong.push(
          `execution ${id} started ${began_at - before.began_at} ms after the previous attempt, within the cooldown`,
        );
      if (attempt !== 1) continue;
      if (transition_id === before.execution.transition_id)
        wrong.push(`execution ${id} starts a new series for the same failure`);
      const { verified } = before;
      const failed_at = transitions.get(transition_id ?? '') ?? at;
      const isSoon = verified && failed_at < Date.parse(verified.execution.verified_at!) + stable_seconds * 1000;
      if (isSoon && verified.execution.verdict === 'recovered')
        wrong.push(`execution ${id} starts a new series too soon after a successful remediation`);
    }
  }
  return wrong;
}

/** An attempt holds its lock exclusively from its claim until its verification, unless the lock expires. */
function checkLocks(attempts: readonly Attempt[], inside: Inside): string[] {
  const skew = skewOf(inside);
  return [...Map.groupBy(attempts, ({ lock }) => lock)].flatMap(([lock, own]) =>
    own.flatMap((one, i) =>
      own
        .slice(0, i)
        .filter(({ verified, until }) => (verified?.n ?? Number.POSITIVE_INFINITY) > one.n && one.at < until - skew)
        .map(
          ({ execution }) =>
            `executions ${one.execution.id} and ${execution.id} held the lock ${lock} at the same time`,
        ),
    ),
  );
}

function checkVerdicts(attempts: readonly Attempt[], { seen, end }: Inside): string[] {
  const wrong: string[] = [];
  const results = new Map<string, { n: number; success: boolean }[]>();
  for (const { key, after, commit } of changesIn(seen)) {
    if (!after || !key.sk.startsWith('R#')) continue;
    const { id, success } = resultRecord(checkIdOf(key), after as Parameters<typeof resultRecord>[1]);
    results.set(id, [...(results.get(id) ?? []), { n: commit.n, success }]);
  }
  for (const { execution, action, until, verified } of attempts) {
    const isKept = seen.table.has(keyText({ pk: execution.pk, sk: 'EXECUTION' }));
    if (!verified && isKept && until < end - VERIFIED_MS) wrong.push(`execution ${execution.id} was never verified`);
    const { verdict, verified_by } = verified?.execution ?? {};
    if (verdict === 'recovered' && !verified_by)
      wrong.push(`execution ${execution.id} is verified as recovered without a result`);
    // Undefined for a result in a pack. A slot that is probed again can have another result after the verdict.
    const success = results.get(verified_by ?? '')?.findLast(({ n }) => n <= verified!.n)?.success;
    // If degraded is the trigger, a success with a warning is not a recovery.
    const mayWarn = success && action.trigger_to_state === 'degraded';
    if (success !== undefined && (verdict === 'recovered') !== success && !mayWarn)
      wrong.push(
        `execution ${execution.id} is ${verdict} by result ${verified_by}, which is a ${success ? 'success' : 'failure'}`,
      );
  }
  return wrong;
}

function checkSkipped({ executions, calls }: History): string[] {
  const sent = new Set(calls.map(({ execution_id }) => execution_id));
  return executions.flatMap(({ began: { id, dispatch_status } }) =>
    dispatch_status === 'skipped' && sent.has(id) ? [`execution ${id} was skipped but sent`] : [],
  );
}

/** An abandoned remediation is reported once per failure. */
function checkReported({ seen }: Inside): string[] {
  const reported = changesIn(seen).flatMap(({ key, after }) => {
    const alert = after as AlertItem | undefined;
    return key.sk.startsWith('AL#') && alert?.remediation
      ? [`${alert.remediation.action_id} at ${alert.transition_id}`]
      : [];
  });
  return [...Map.groupBy(reported, (one) => one)].flatMap(([one, times]) =>
    times.length > 1 ? [`the alert about the abandoned remediation ${one} was sent ${times.length} times`] : [],
  );
}
