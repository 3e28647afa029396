import type { CheckItem } from '#lib/checks/check-item.ts';
import type { ResultItem } from '#lib/health/history/result-item.ts';
import { targetOf } from './rules.ts';
import type { Run } from './simulate.ts';

/**
 * What one run of a function may do: it names what failed of its batch and nothing else, and records no probe that
 * ended after its time was over, as its successor probes as well.
 */
export function checkRuns({ seen }: Run): string[] {
  const wrong = [...seen.batches];
  for (const { total, sum } of seen.statuses) {
    if (total !== sum) wrong.push(`MCP counted ${sum} of ${total} entities`);
  }
  const probes = Map.groupBy(seen.probes, ({ run }) => run);
  const checks = new Map<string, CheckItem>();
  for (const { run, at, changes } of seen.commits) {
    for (const { key, after } of changes) {
      if (key.sk === 'CHECK' && after) checks.set(key.pk, after as CheckItem);
      const check = checks.get(key.pk);
      const over = seen.runs.get(run ?? 0)?.aborted_at;
      if (over === undefined || !key.sk.startsWith('R#') || !after || check?.execution_mode !== 'pull') continue;
      const own = probes.get(run)?.filter(({ host }) => host === targetOf(check)) ?? [];
      const began = Date.parse((after as ResultItem).checked_at);
      if (own.length > 0 && own.every(({ ended_at = Number.POSITIVE_INFINITY }) => ended_at > over))
        wrong.push(`${check.id}: run ${run} was over at ${over}, and at ${at} it recorded its probe of ${began}`);
    }
  }
  return wrong;
}
