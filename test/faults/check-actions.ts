import type { ActionItem } from '#lib/actions/action-item.ts';
import type { ExecutionItem } from '#lib/actions/execution.ts';
import type { TransitionItem } from '#lib/health/state/transition-item.ts';
import { outagesOf, skewOf } from './check-slots.ts';
import { firesAction, slotsOf } from './rules.ts';
import type { Run } from './simulate.ts';

/** From its cause until a run has begun when nothing fails, and until it has surely ended (ms). */
const BEGUN_MS = 5_000;
const ENDED_MS = 240_000;
/** Ends that only a fault of ours explains. */
const OURS = /^(interrupted|not sent|a fault of this service)/;

/** An action as it stood from `at` on; undefined: deleted. */
type Version = { n: number; at: number; action: ActionItem | undefined };
type Began = { n: number; at: number; execution: ExecutionItem };
type Happened = { n: number; at: number; one: TransitionItem };
type World = { run: Run; versions: Map<string, Version[]>; began: Map<string, Began>; wrong: string[] };

/** Runs of actions: one for each cause and none without, written down before it is sent, sent once, and ended. */
export function checkActions(run: Run): string[] {
  const world: World = { run, versions: new Map(), began: new Map(), wrong: [] };
  const transitions = new Map<string, Happened>();
  for (const { n, at, changes } of run.seen.commits) {
    for (const { key, before, after } of changes) {
      if (key.sk.startsWith('act_')) {
        const list = world.versions.get(key.sk) ?? [];
        world.versions.set(key.sk, list);
        list.push({ n, at, action: after as ActionItem | undefined });
      } else if (key.sk.startsWith('TR#') && after) {
        const one = after as TransitionItem;
        transitions.set(one.transition_id, { n, at, one });
      } else if (key.sk === 'EXECUTION' && after) {
        const execution = after as ExecutionItem;
        const old = before as ExecutionItem | undefined;
        if (!old) world.began.set(execution.id, { n, at, execution });
        else if (old.dispatch_status !== 'pending' && old.dispatch_status !== execution.dispatch_status)
          world.wrong.push(`${execution.id} ended as ${old.dispatch_status}, then as ${execution.dispatch_status}`);
      }
    }
  }
  for (const happened of transitions.values()) checkTransition(world, happened);
  for (const [id, versions] of world.versions) checkSchedule(world, id, versions);
  for (const began of world.began.values()) checkRun(world, began, transitions);
  checkCalls(world);
  return world.wrong;
}

/** An action that a transition fires, and which nobody touches, runs once. */
function checkTransition({ run, versions, began, wrong }: World, { n, at, one }: Happened): void {
  const { profile, end, seen } = run;
  const until = profile.quiet ? at + BEGUN_MS : end;
  if (at > end - ENDED_MS || seen.stops.some((stop) => stop.from <= until && stop.over >= at)) return;
  for (const [id, list] of versions) {
    const stands = list.findLast((version) => version.n < n)?.action;
    if (!stands || !firesAction(stands, one)) continue;
    const touched = list.some((version) => version.n > n && version.at <= until);
    const runs = [...began.values()].filter(
      ({ execution }) => execution.action_id === id && execution.transition_id === one.transition_id,
    );
    if (runs.length > 1 || (runs.length === 0 && !touched))
      wrong.push(`${one.transition_id} fired ${id} ${runs.length} times`);
  }
}

/** A rhythm that stands runs once a slot. */
function checkSchedule({ run, began, wrong }: World, id: string, versions: Version[]): void {
  const { seen, profile, end } = run;
  const skew = skewOf(run);
  const created = [...began.values()]
    .filter(({ execution }) => execution.action_id === id && execution.trigger === 'schedule')
    .map(({ at }) => at);
  for (const [i, { at, action }] of versions.entries()) {
    if (action?.trigger_type !== 'schedule' || !action.interval_seconds) continue;
    const interval = action.interval_seconds * 1000;
    const to = Math.min(versions[i + 1]?.at ?? end, end - ENDED_MS) - interval;
    const slots = slotsOf(id, action.interval_seconds, at + BEGUN_MS, to);
    for (const slot of slots) {
      const runs = created.filter((time) => time >= slot - skew && time < slot + interval - skew).length;
      if (runs === 1 || (runs > 1 && !profile.quiet)) continue;
      if (seen.stops.some((stop) => slot >= stop.from - interval && slot <= stop.over + BEGUN_MS)) continue;
      const isLate = seen.actionRuns.some(
        (one) => one.action_id === id && one.slot === slot && (one.done_at ?? 0) >= slot + interval - skew,
      );
      const isOut = outagesOf(run).some((outage) => outage.from <= slot && slot <= outage.to);
      if (runs === 0 && !profile.quiet && (isLate || isOut)) continue;
      wrong.push(`slot ${slot} of ${id} (${interval} ms) was run ${runs} times`);
    }
    const sum = created.filter((time) => time >= at && time <= to + skew).length;
    if (sum > slots.length + 2) wrong.push(`${id} ran ${sum} times in ${slots.length} slots from ${at} on`);
  }
}

/** The action wanted it when it began, and it ended as its target says. */
function checkRun({ run, versions, wrong }: World, { n, execution }: Began, causes: Map<string, Happened>): void {
  const { id, action_id, transition_id, trigger, created_at } = execution;
  const action = versions.get(action_id)?.findLast((version) => version.n < n)?.action;
  const cause = causes.get(transition_id ?? '')?.one;
  if (!action || (trigger !== 'manual' && action.trigger_type !== trigger))
    wrong.push(`${id} ran by ${trigger}, which its action did not say`);
  else if (trigger === 'state_change' && !(cause && firesAction(action, cause)))
    wrong.push(`${id} ran for ${transition_id}, which does not fire it`);

  const last = run.seen.table.get(`${execution.pk}|EXECUTION`) as ExecutionItem | undefined;
  if (!last) return;
  const { dispatch_status: status, status_code, error_message } = last;
  if (status === 'pending' && Date.parse(created_at) < run.end - ENDED_MS) wrong.push(`${id} is still pending`);
  if (status === 'blocked') wrong.push(`${id} was blocked: ${error_message}`);
  if (run.profile.quiet && OURS.test(error_message)) wrong.push(`${id} failed although nothing did: ${error_message}`);
  const answered = run.seen.calls.find((call) => call.execution_id === id)?.status ?? 0;
  if (status_code !== 0 && status_code !== answered) wrong.push(`${id} says ${status_code}, its target ${answered}`);
  if ((status === 'success') !== (status_code === 200)) wrong.push(`${id} is ${status} with ${status_code}`);
}

function checkCalls({ run, began, wrong }: World): void {
  const called = new Set<string>();
  for (const { n, execution_id } of run.seen.calls) {
    if (called.has(execution_id)) wrong.push(`${execution_id} was sent twice`);
    called.add(execution_id);
    if ((began.get(execution_id)?.n ?? n) >= n) wrong.push(`${execution_id} was sent before it was written down`);
  }
}
