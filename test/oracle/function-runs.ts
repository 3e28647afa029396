import type { Inside } from './inside.ts';
import { probeResults } from './outcomes.ts';
import { targetOf } from './rules.ts';

/**
 * Promise: a function run names exactly the failed messages of its batch. It does not record a probe that ended after
 * the timeout of the run, because the retry of the message probes again. The counts of an MCP status summary add up
 * to its total.
 */
export function checkFunctionRuns({ seen }: Inside): string[] {
  const wrong = [...seen.batchErrors];
  for (const { total, sum } of seen.statuses) {
    if (total !== sum) wrong.push(`the MCP status summary has states of ${sum} entities, but a total of ${total}`);
  }
  const probes = Map.groupBy(seen.probes, ({ run }) => run);
  for (const { commit, check, begun, unscheduled } of probeResults(seen)) {
    // A manual run is not retried.
    if (unscheduled === 'manual') continue;
    const over = seen.runs.get(commit.run ?? 0)?.aborted_at;
    if (over === undefined) continue;
    const own = probes.get(commit.run)?.filter(({ host }) => host === targetOf(check)) ?? [];
    if (own.length > 0 && own.every(({ ended_at = Number.POSITIVE_INFINITY }) => ended_at > over))
      wrong.push(
        `${check.id}: function run ${commit.run} timed out at ${over}, but recorded its probe of ${begun} at ${commit.at}`,
      );
  }
  return wrong;
}
