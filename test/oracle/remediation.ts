import type { ActionItem } from '#lib/actions/action-item.ts';
import type { ExecutionItem } from '#lib/actions/execution.ts';
import type { LockItem } from '#lib/actions/remediation/attempt-limits.ts';
import type { AlertItem } from '#lib/alerting/decide/alert-item.ts';
import { resultRecord } from '#lib/results/result.ts';
import type { History } from './history.ts';
import { type Change, changesIn, checkIdOf, type Inside, keyText } from './inside.ts';
import { skewOf } from './rules.ts';

/** Behind the longest that a verdict takes by its settings, when nothing fails any more (ms). */
const VERIFIED_MS = 4 * 60_000;

/** An attempt of a guarded action: when it was claimed with which lock, and its verdict. */
type Attempt = {
  n: number;
  /** When its claim was written. */
  at: number;
  /** When it began, as its execution says; the claim may have been long on its way. */
  began_at: number;
  /** When the function was called that claimed it. */
  called_at: number;
  execution: ExecutionItem;
  action: ActionItem;
  lock: string;
  /** Until when it has the lock at most, by the clock of the machine that took it (epoch ms). */
  until: number;
  /** The commit that gave its verdict. */
  judged?: { n: number; at: number; execution: ExecutionItem };
};

/**
 * A guarded action is tried at most max_attempts times in a series, and not sooner than its cool-down; of those that
 * share a lock one is at work at a time; what a guard has stopped is not sent; and each attempt has a verdict in the
 * end, which its result bears out.
 */
export function checkRemediation(history: History, inside: Inside): string[] {
  const attempts = attemptsIn(inside);
  return [
    ...checkSeries(attempts, inside),
    ...checkLocks(attempts, inside),
    ...checkVerdicts(attempts, inside),
    ...checkSkipped(history),
    ...checkTold(inside),
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
    if (known && execution.verdict !== null && old?.verdict === null) known.judged = { n, at, execution };
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

/** Numbers of a series go up by one, to max_attempts at most; it begins anew only with another failure. */
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
      if (attempt! > max_attempts) wrong.push(`${id} is attempt ${attempt} of ${max_attempts}`);
      if (began_at < called_at - skew || began_at > at + skew)
        wrong.push(`${id} says that it began at ${began_at}, and did between ${called_at} and ${at}`);
      const before = own[i - 1];
      if (!before || before.action.check_id !== action.check_id) continue;
      if (before.execution.attempt! + 1 !== attempt && attempt !== 1)
        wrong.push(`${id} is attempt ${attempt} after ${before.execution.attempt}`);
      if (began_at < before.began_at + cooldown_seconds * 1000 - skew && before.action.v === action.v)
        wrong.push(`${id} began ${began_at - before.began_at} ms after the one before it`);
      if (attempt !== 1) continue;
      if (transition_id === before.execution.transition_id) wrong.push(`${id} begins a series at the same failure`);
      const { judged } = before;
      const failed_at = transitions.get(transition_id ?? '') ?? at;
      const isSoon = judged && failed_at < Date.parse(judged.execution.verified_at!) + stable_seconds * 1000;
      if (isSoon && judged.execution.verdict === 'recovered') wrong.push(`${id} begins a series too soon after it healed`);
    }
  }
  return wrong;
}

/** From its claim until its verdict an attempt has its lock alone, as long as that has not expired. */
function checkLocks(attempts: readonly Attempt[], inside: Inside): string[] {
  const skew = skewOf(inside);
  return [...Map.groupBy(attempts, ({ lock }) => lock)].flatMap(([lock, own]) =>
    own.flatMap((one, i) =>
      own
        .slice(0, i)
        .filter(({ judged, until }) => (judged?.n ?? Number.POSITIVE_INFINITY) > one.n && one.at < until - skew)
        .map(({ execution }) => `${one.execution.id} and ${execution.id} were at work under the lock ${lock}`),
    ),
  );
}

function checkVerdicts(attempts: readonly Attempt[], { seen, end }: Inside): string[] {
  const wrong: string[] = [];
  const results = new Map<string, boolean>();
  for (const { key, after } of changesIn(seen)) {
    if (!after || !key.sk.startsWith('R#')) continue;
    const { id, success } = resultRecord(checkIdOf(key), after as Parameters<typeof resultRecord>[1]);
    results.set(id, success);
  }
  for (const { execution, action, until, judged } of attempts) {
    const isKept = seen.table.has(keyText({ pk: execution.pk, sk: 'EXECUTION' }));
    if (!judged && isKept && until < end - VERIFIED_MS) wrong.push(`${execution.id} has no verdict`);
    const { verdict, verified_by } = judged?.execution ?? {};
    if (verdict === 'recovered' && !verified_by) wrong.push(`${execution.id} is healed by no result`);
    // Results of packs are not stored by themselves; those are of runs that changed nothing.
    const success = results.get(verified_by ?? '');
    // Where degraded is repaired, a success with a warning does not heal.
    const mayWarn = success && action.trigger_to_state === 'degraded';
    if (success !== undefined && (verdict === 'recovered') !== success && !mayWarn)
      wrong.push(`${execution.id} is ${verdict} by ${verified_by}, a ${success ? 'success' : 'failure'}`);
  }
  return wrong;
}

function checkSkipped({ executions, calls }: History): string[] {
  const sent = new Set(calls.map(({ execution_id }) => execution_id));
  return executions.flatMap(({ began: { id, dispatch_status } }) =>
    dispatch_status === 'skipped' && sent.has(id) ? [`${id} was skipped, and sent`] : [],
  );
}

/** Nobody is told twice that the repair of a failure is given up. */
function checkTold({ seen }: Inside): string[] {
  const told = changesIn(seen).flatMap(({ key, after }) => {
    const alert = after as AlertItem | undefined;
    return key.sk.startsWith('AL#') && alert?.remediation
      ? [`${alert.remediation.action_id} at ${alert.transition_id}`]
      : [];
  });
  return [...Map.groupBy(told, (one) => one)].flatMap(([one, times]) =>
    times.length > 1 ? [`it was told ${times.length} times that ${one} is given up`] : [],
  );
}
