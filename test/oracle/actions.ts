import type { Action, Execution, History, Transition } from './history.ts';
import { settingsIn } from './inside.ts';

/** From its cause until a run has begun when nothing fails (ms). */
const BEGUN_MS = 5_000;
/** Ends that only a fault of ours explains. */
const OURS = /^(interrupted|not sent|a fault of this service)/;

/**
 * An action runs once for each cause and not without one, a guarded one again where that did not help; a run is written
 * down, then sent once, and ends in time.
 */
export function checkActions(history: History): string[] {
  const runs = Map.groupBy(history.executions, ({ began }) => `${began.action_id} ${began.transition_id}`);
  const transitions = new Map(history.transitions.map((one) => [one.transition_id, one]));
  return [
    ...history.transitions.flatMap((one) => checkFired(history, one, runs)),
    ...history.executions.flatMap((one) => [...checkCause(history, one, transitions), ...checkEnd(history, one)]),
    ...checkCalls(history),
    ...checkAsked(history),
  ];
}

/** An action that a transition fires, and which nobody touches meanwhile, runs once for it. */
function checkFired(history: History, one: Transition, runs: Map<string, Execution[]>): string[] {
  const { n, at, transition_id } = one;
  const until = history.failed === 'nothing' ? at + BEGUN_MS : history.asked_at;
  const isStopped = history.inside?.seen.stops.some((stop) => stop.from <= until && stop.over >= at);
  return [...history.actions].flatMap(([id, versions]) => {
    const stands = versions.findLast((version) => version.n < n)?.action;
    if (!stands || !firesAction(stands, one)) return [];
    const touched = versions.some((version) => version.n > n && version.at <= until);
    const times = runs.get(`${id} ${transition_id}`)?.length ?? 0;
    const isLeft = Boolean(stands.remediation) && isOverBefore(history, one);
    const mayBeNone = touched || isStopped || isLeft || at >= history.over_before.runs;
    const isAgain = times > 1 && Boolean(stands.remediation);
    return times === 1 || isAgain || (times === 0 && mayBeNone) ? [] : [`${transition_id} fired ${id} ${times} times`];
  });
}

/** While it is found out whether a failure follows from another one, a guarded action waits (ms). */
const WAITS_MS = 45_000;

/**
 * A guarded action has nothing to record where its failure was over before it could begin: the check was disabled or
 * deleted, or while it was found out what it follows from, it changed once more.
 */
function isOverBefore(history: History, { transition_id, at, check_id, timestamp, alert }: Transition): boolean {
  const { inside, failed, asked_at, transitions } = history;
  const until = failed === 'nothing' ? at + WAITS_MS : asked_at;
  const isIn = (time: number) => time >= at && time <= until;
  const settings = inside ? (settingsIn(inside.seen).get(check_id) ?? []) : [];
  if (settings.some(({ from, check }) => isIn(from) && !check?.enabled)) return true;
  if (alert.decision !== 'held' && alert.decided_at === timestamp) return false;
  return transitions.some((one) => one.check_id === check_id && one.transition_id !== transition_id && isIn(one.at));
}

/** The rule once more, from its words (docs/use/actions.md#settings). */
function firesAction(action: Action, one: Transition): boolean {
  const { trigger_type, check_id, trigger_to_state: wanted, created_at } = action;
  if (trigger_type !== 'state_change' || check_id !== one.check_id || one.cause.startsWith('check_')) return false;
  if (one.timestamp < created_at) return false;
  return wanted === '' || one.check_to_state === wanted || (one.to_state === wanted && one.from_state !== wanted);
}

/** The action wanted the run when it began. */
function checkCause(history: History, { n, began }: Execution, causes: Map<string, Transition>): string[] {
  const { id, action_id, transition_id, trigger, created_at } = began;
  const action = history.actions.get(action_id)?.findLast((version) => version.n < n)?.action;
  if (!action || (trigger !== 'manual' && action.trigger_type !== trigger))
    return [`${id} ran by ${trigger}, which its action did not say`];
  const cause = causes.get(transition_id ?? '');
  if (trigger !== 'state_change' || (cause && firesAction(action, cause))) return [];
  if (!cause && Date.parse(created_at) > history.complete_until) return [];
  return [`${id} ran for ${transition_id}, which does not fire it`];
}

/** A run ends in time, and as its target says. */
function checkEnd({ calls, over_before, failed }: History, { last }: Execution): string[] {
  if (!last) return [];
  const wrong: string[] = [];
  const { id, dispatch_status: status, status_code, error_message, created_at, finished_at } = last;
  const isOver = status !== 'pending' && finished_at !== null;
  if (!isOver && Date.parse(created_at) < over_before.runs) wrong.push(`${id} of ${created_at} is still pending`);
  if (status === 'blocked') wrong.push(`${id} was blocked: ${error_message}`);
  if (failed === 'nothing' && OURS.test(error_message))
    wrong.push(`${id} failed although nothing did: ${error_message}`);
  const answered = calls.find((call) => call.execution_id === id)?.status ?? 0;
  if (status_code !== 0 && status_code !== answered) wrong.push(`${id} says ${status_code}, its target ${answered}`);
  if ((status === 'success') !== (status_code === 200)) wrong.push(`${id} is ${status} with ${status_code}`);
  return wrong;
}

/** A run is in the history once, and was so before it was sent; it is sent once. */
function checkCalls({ calls, executions, asked_at }: History): string[] {
  const wrong: string[] = [];
  const began = new Map(executions.map((one) => [one.began.id, one.n]));
  if (began.size < executions.length) wrong.push('a run stands in the history twice');
  for (const [id, same] of Map.groupBy(calls, ({ execution_id }) => execution_id)) {
    if (same.length > 1) wrong.push(`${id} was sent ${same.length} times`);
    const { n, at } = same[0]!;
    if (at <= asked_at && (began.get(id) ?? n) >= n) wrong.push(`${id} was sent before it was written down`);
  }
  return wrong;
}

/** Whoever asked for a run was told how it ended. */
function checkAsked({ asked = [], executions }: History): string[] {
  const ended = new Map(executions.map(({ began, last }) => [began.id, last?.dispatch_status]));
  return asked.flatMap(({ id, dispatch_status }) =>
    ended.get(id) === dispatch_status ? [] : [`${id} was answered as ${dispatch_status} and is ${ended.get(id)}`],
  );
}
