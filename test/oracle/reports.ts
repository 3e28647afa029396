import type { LogItem } from '#lib/actions/execution.ts';
import type { History, Reported } from './history.ts';
import type { Seen } from './inside.ts';

/**
 * Promise: a report with a 200 response is stored, its lines together; the pipeline status is the last reported one.
 */
export function checkReports({ executions, reports, failed, inside }: History): string[] {
  if (!reports) return [];
  const wrong: string[] = [];
  const reported = Map.groupBy(reports, ({ execution_id }) => execution_id);
  for (const { last } of executions) {
    if (!last) continue;
    const { id, log_count, pipeline_status } = last;
    const own = reported.get(id) ?? [];
    const taken = own.filter(({ status_code }) => status_code === 200);
    const least = taken.reduce((sum, { lines }) => sum + lines.length, 0);
    const most = own.reduce((sum, { lines, tries }) => sum + lines.length * tries, 0);
    if (log_count < least || (failed !== 'anything' && log_count > most))
      wrong.push(`execution ${id} has ${log_count} lines; ${least} were acknowledged, ${most} sent`);
    const statuses = own.flatMap(({ status }) => status ?? []);
    // If anything can fail, a report whose caller no longer waits can arrive last.
    const isClear = failed !== 'anything' && taken.length === own.length;
    const fits = isClear
      ? pipeline_status === (statuses.at(-1) ?? null)
      : !pipeline_status || statuses.includes(pipeline_status);
    if (!fits) wrong.push(`execution ${id} has the pipeline status ${pipeline_status} after ${statuses}`);
    if (inside) wrong.push(...checkBlocks(inside.seen, id, log_count, taken, failed === 'nothing'));
  }
  return wrong;
}

/** The lines of a report are stored together, and once if nothing failed. */
function checkBlocks({ table }: Seen, id: string, counted: number, taken: Reported[], quiet: boolean): string[] {
  const wrong: string[] = [];
  const blocks = [...table.values()].filter(
    (item): item is LogItem => item.sk.startsWith('LOG#') && item.pk.endsWith(`#${id}`),
  );
  const stored = blocks.reduce((sum, { lines }) => sum + lines.length, 0);
  if (stored !== counted) wrong.push(`execution ${id} counts ${counted} lines but has ${stored}`);
  for (const { lines } of taken.filter((one) => one.lines.length > 0)) {
    const times = blocks.filter((block) => String(block.lines) === String(lines)).length;
    if (times === 0 || (times > 1 && quiet)) wrong.push(`execution ${id} has the lines ${lines} ${times} times`);
  }
  return wrong;
}
