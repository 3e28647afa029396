import type { Fired, Fleet } from './fleet.ts';
import type { RunByHand } from './load.ts';
import type { Story } from './told.ts';

/**
 * Runs of actions: one for each transition that fires one, each over in time, none sent twice, and what a pipeline was
 * answered is told.
 * @param until epoch ms: what began before is over by now
 */
export function judgeActions(story: Story, fleet: Fleet, runs: RunByHand[], until: number): string[] {
  const byId = new Map(story.executions.map((one) => [String(one.id), one]));
  const wrong = [...fleet.pipelines.wrong];
  if (byId.size < story.executions.length) wrong.push('an execution stands in the history twice');
  wrong.push(...fleet.actions.flatMap((action) => judgeFired(action, story, until)));
  for (const run of runs) {
    if (byId.get(run.id)?.dispatch_status !== run.dispatch_status)
      wrong.push(`run ${run.id} was answered as ${run.dispatch_status} and is ${byId.get(run.id)?.dispatch_status}`);
  }
  for (const one of story.executions) {
    const isOver = one.dispatch_status !== 'pending' && one.finished_at !== null;
    if (!isOver && Date.parse(one.created_at) < until)
      wrong.push(`run ${one.id} of ${one.created_at} is still pending`);
  }
  for (const [id, same] of Map.groupBy(story.started, (one) => one.id)) {
    if (!byId.has(id)) wrong.push(`run ${id} was sent, and no history knows it`);
    if (same.length > 1) wrong.push(`run ${id} was sent ${same.length} times`);
  }
  return wrong;
}

function judgeFired(action: Fired, { feed, executions }: Story, until: number): string[] {
  const own = Map.groupBy(
    executions.filter((one) => one.action_id === action.id),
    (one) => one.transition_id,
  );
  const firing = feed.filter((one) => fires(action, one));
  const wrong: string[] = [];
  for (const { id, timestamp } of firing) {
    const count = own.get(id)?.length ?? 0;
    if (count > 1 || (count === 0 && Date.parse(timestamp) < until))
      wrong.push(`transition ${id} fires ${action.id}, which ran ${count} times for it`);
  }
  const wanted = new Set(firing.map((one) => one.id));
  // The story tells transitions before runs: one that came in between is not in it.
  const newest = feed.at(-1)?.timestamp ?? '';
  for (const [id, [run]] of own) {
    if (!wanted.has(id) && run.created_at < newest) wrong.push(`${action.id} ran for ${id}, which does not fire it`);
  }
  return wrong;
}

/** The rule once more, from its words (docs/CONTRACT.md#actions). */
function fires({ check_id, trigger_to_state: wanted, created_at }: Fired, one: Story['feed'][number]): boolean {
  if (one.check_id !== check_id || one.timestamp < created_at) return false;
  return wanted === '' || one.check_to_state === wanted || (one.to_state === wanted && one.from_state !== wanted);
}

/** What pipelines have reported: for a story that was told after the last of them was done. */
export function judgeReports({ executions }: Story, { pipelines }: Fleet): string[] {
  return executions.flatMap(({ id, dispatch_status, pipeline_status, log_count }) => {
    const report = pipelines.reports.get(id);
    if (!report) return dispatch_status === 'success' ? [`run ${id} counts as sent and never arrived`] : [];
    const wrong = report.done && pipeline_status === 'succeeded' ? [] : [`the pipeline of ${id} is ${pipeline_status}`];
    const isKept = log_count >= report.acked_lines && log_count <= report.sent_lines;
    return isKept ? wrong : [...wrong, `run ${id} has ${log_count} lines, acknowledged were ${report.acked_lines}`];
  });
}
