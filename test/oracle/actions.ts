import type { Action, Execution, History, Transition } from './history.ts';
import { settingsIn } from './inside.ts';

/** Maximum time from a cause to the start of its execution when nothing fails (ms). */
const BEGUN_MS = 5_000;
/** Maximum time for which a remediation waits after the alert of its failure was decided (ms). */
const WAITS_MS = 45_000;
/** Error messages of internal errors. */
const INTERNAL_ERROR = /^(interrupted|not sent|a fault of this service)/;

/**
 * Promise: an action runs once per cause and never without a cause; a failed remediation may run again. An execution
 * is recorded, then sent once, and ends in time.
 */
export function checkActions(history: History): string[] {
  const runs = Map.groupBy(history.executions, ({ began }) => `${began.action_id} ${began.transition_id}`);
  const transitions = new Map(history.transitions.map((one) => [one.transition_id, one]));
  return [
    ...history.transitions.flatMap((one) => checkFired(history, one, runs)),
    ...history.executions.flatMap((one) => [...checkCause(history, one, transitions), ...checkEnd(history, one)]),
    ...checkCalls(history),
    ...checkReturned(history),
  ];
}

/** An unchanged action runs once for each transition that triggers it. */
function checkFired(history: History, one: Transition, runs: Map<string, Execution[]>): string[] {
  const { n, at, transition_id } = one;
  return [...history.actions].flatMap(([id, versions]) => {
    const current = versions.findLast((version) => version.n < n)?.action;
    if (!current || !firesAction(current, one)) return [];
    const begun_by = current.remediation ? begunBy(one) : at + BEGUN_MS;
    const until = history.failed === 'nothing' ? begun_by : history.read_at;
    const isStopped = history.inside?.seen.stops.some((stop) => stop.from <= until && stop.over >= at);
    const touched = versions.some((version) => version.n > n && version.at <= until);
    const times = runs.get(`${id} ${transition_id}`)?.length ?? 0;
    const isObsolete = Boolean(current.remediation) && isOverBefore(history, one);
    const mayBeNone = touched || isStopped || isObsolete || at >= history.over_before.runs;
    const isAgain = times > 1 && Boolean(current.remediation);
    return times === 1 || isAgain || (times === 0 && mayBeNone)
      ? []
      : [`transition ${transition_id} triggered action ${id} ${times} times`];
  });
}

/** Returns the time by which, without faults, a remediation of a failure has begun or was stopped (epoch ms). */
const begunBy = ({ at, alert }: Transition): number => Math.max(at, Date.parse(alert.decided_at ?? '') || 0) + WAITS_MS;

/**
 * Whether a remediation need not be recorded because the failure was over before it could start: the check was disabled
 * or deleted, or changed its state again, while the root cause was determined.
 */
function isOverBefore(history: History, one: Transition): boolean {
  const { transition_id, at, check_id, timestamp, alert } = one;
  const { inside, failed, read_at, transitions } = history;
  const until = failed === 'nothing' ? begunBy(one) : read_at;
  const isIn = (time: number) => time >= at && time <= until;
  const settings = inside ? (settingsIn(inside.seen).get(check_id) ?? []) : [];
  if (settings.some(({ from, check }) => isIn(from) && !check?.enabled)) return true;
  if (alert.decision !== 'held' && alert.decided_at === timestamp) return false;
  return transitions.some(
    (next) => next.check_id === check_id && next.transition_id !== transition_id && isIn(next.at),
  );
}

/** Whether a transition triggers an action, implemented from docs/use/actions.md#settings. */
function firesAction(action: Action, one: Transition): boolean {
  const { trigger_type, check_id, trigger_to_state: wanted, created_at } = action;
  if (trigger_type !== 'state_change' || check_id !== one.check_id || one.cause.startsWith('check_')) return false;
  if (one.timestamp < created_at) return false;
  return wanted === '' || one.check_to_state === wanted || (one.to_state === wanted && one.from_state !== wanted);
}

/**
 * Unless it is manual, an execution has the trigger type that its action had at its start. If a change of state started
 * it, its transition triggers the action.
 */
function checkCause(history: History, { n, began }: Execution, causes: Map<string, Transition>): string[] {
  const { id, action_id, transition_id, trigger, created_at } = began;
  const action = history.actions.get(action_id)?.findLast((version) => version.n < n)?.action;
  if (!action || (trigger !== 'manual' && action.trigger_type !== trigger))
    return [`execution ${id} has the trigger ${trigger}, which its action did not have`];
  const cause = causes.get(transition_id ?? '');
  if (trigger !== 'state_change' || (cause && firesAction(action, cause))) return [];
  if (!cause && Date.parse(created_at) > history.complete_until) return [];
  return [`execution ${id} ran for transition ${transition_id}, which does not trigger its action`];
}

/** An execution ends in time, with the status code of its target, and is a success exactly for 200. */
function checkEnd({ calls, over_before, failed }: History, { last }: Execution): string[] {
  if (!last) return [];
  const wrong: string[] = [];
  const { id, dispatch_status: status, status_code, error_message, created_at, finished_at } = last;
  const isOver = status !== 'pending' && finished_at !== null;
  if (!isOver && Date.parse(created_at) < over_before.runs)
    wrong.push(`execution ${id} of ${created_at} is still pending`);
  if (status === 'blocked') wrong.push(`execution ${id} was blocked: ${error_message}`);
  if (failed === 'nothing' && INTERNAL_ERROR.test(error_message))
    wrong.push(`execution ${id} failed without a fault: ${error_message}`);
  const answered = calls.find((call) => call.execution_id === id)?.status ?? 0;
  if (status_code !== 0 && status_code !== answered)
    wrong.push(`execution ${id} has status code ${status_code}, but its target sent ${answered}`);
  if ((status === 'success') !== (status_code === 200))
    wrong.push(`execution ${id} is ${status} with status code ${status_code}`);
  return wrong;
}

/** An execution is recorded once, before it is sent, and is sent once. */
function checkCalls({ calls, executions, read_at }: History): string[] {
  const wrong: string[] = [];
  const began = new Map(executions.map((one) => [one.began.id, one.n]));
  if (began.size < executions.length) wrong.push('an execution is recorded twice');
  for (const [id, same] of Map.groupBy(calls, ({ execution_id }) => execution_id)) {
    if (same.length > 1) wrong.push(`execution ${id} was sent ${same.length} times`);
    const { n, at } = same[0]!;
    if (at <= read_at && (began.get(id) ?? n) >= n) wrong.push(`execution ${id} was sent before it was recorded`);
  }
  return wrong;
}

/** The response to a manual execution has its final status. */
function checkReturned({ manualExecutions = [], executions }: History): string[] {
  const ended = new Map(executions.map(({ began, last }) => [began.id, last?.dispatch_status]));
  return manualExecutions.flatMap(({ id, dispatch_status }) =>
    ended.get(id) === dispatch_status
      ? []
      : [`execution ${id} was returned as ${dispatch_status}, but is stored as ${ended.get(id)}`],
  );
}
