import type { LogItem } from '#lib/actions/execution.ts';
import type { History, Reported } from './history.ts';
import type { Seen } from './inside.ts';

/**
 * What a pipeline was answered 200 for is there, its lines together; the status of its run is the last reported.
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
      wrong.push(`${id} has ${log_count} lines, acknowledged were ${least}, sent ${most}`);
    const said = own.flatMap(({ status }) => status ?? []);
    // Where anything may fail, a report that nobody waits for any more may arrive last.
    const isClear = failed !== 'anything' && taken.length === own.length;
    const fits = isClear
      ? pipeline_status === (said.at(-1) ?? null)
      : !pipeline_status || said.includes(pipeline_status);
    if (!fits) wrong.push(`${id} stands at ${pipeline_status} after ${said}`);
    if (inside) wrong.push(...checkBlocks(inside.seen, id, log_count, taken, failed === 'nothing'));
  }
  return wrong;
}

/** The lines of a report are stored together, once if nothing failed. */
function checkBlocks({ table }: Seen, id: string, counted: number, taken: Reported[], quiet: boolean): string[] {
  const wrong: string[] = [];
  const blocks = [...table.values()].filter(
    (item): item is LogItem => item.sk.startsWith('LOG#') && item.pk.endsWith(`#${id}`),
  );
  const stored = blocks.reduce((sum, { lines }) => sum + lines.length, 0);
  if (stored !== counted) wrong.push(`${id} counts ${counted} lines and has ${stored}`);
  for (const { lines } of taken.filter((one) => one.lines.length > 0)) {
    const times = blocks.filter((block) => String(block.lines) === String(lines)).length;
    if (times === 0 || (times > 1 && quiet)) wrong.push(`${id} has ${lines} ${times} times`);
  }
  return wrong;
}
