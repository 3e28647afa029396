import type { ExecutionItem, LogItem } from '#lib/actions/execution.ts';
import type { Run } from './simulate.ts';

/** Reports of pipelines: what was answered 200 is there, its lines together; the status is the last one reported. */
export function checkReports({ seen, profile }: Run): string[] {
  const wrong: string[] = [];
  const items = [...seen.table.values()];
  const logs = Map.groupBy(
    items.filter((item): item is LogItem => item.sk.startsWith('LOG#')),
    ({ pk }) => pk,
  );
  const reported = Map.groupBy(seen.reports, ({ execution_id }) => execution_id);
  for (const item of items) {
    if (item.sk !== 'EXECUTION') continue;
    const { id, pk, log_count, pipeline_status } = item as ExecutionItem;
    const reports = reported.get(id) ?? [];
    const blocks = logs.get(pk) ?? [];
    const stored = blocks.reduce((sum, { lines }) => sum + lines.length, 0);
    if (stored !== log_count) wrong.push(`${id} counts ${log_count} lines and has ${stored}`);
    const taken = reports.filter(({ status_code }) => status_code === 200);
    for (const { lines } of taken.filter((one) => one.lines.length > 0)) {
      const times = blocks.filter((block) => String(block.lines) === String(lines)).length;
      if (times === 0 || (times > 1 && profile.quiet)) wrong.push(`${id} has ${lines} ${times} times`);
    }
    const said = reports.flatMap(({ status }) => status ?? []);
    // Where something failed, a report that nobody waits for any more may arrive last.
    const isClear = profile.quiet && taken.length === reports.length;
    const fits = isClear
      ? pipeline_status === (said.at(-1) ?? null)
      : !pipeline_status || said.includes(pipeline_status);
    if (!fits) wrong.push(`${id} stands at ${pipeline_status} after ${said}`);
  }
  return wrong;
}
