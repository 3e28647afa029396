import type { Inside } from './inside.ts';
import { probeResults } from './outcomes.ts';
import { targetOf } from './rules.ts';

/**
 * What one run of a function may do: it names what failed of its batch and nothing else, and records no probe that
 * ended after its time was over, as its successor probes as well.
 */
export function checkRuns({ seen }: Inside): string[] {
  const wrong = [...seen.batches];
  for (const { total, sum } of seen.statuses) {
    if (total !== sum) wrong.push(`MCP counted ${sum} of ${total} entities`);
  }
  const probes = Map.groupBy(seen.probes, ({ run }) => run);
  for (const { commit, check, begun, beside } of probeResults(seen)) {
    // Nobody probes again in its place.
    if (beside === 'manual') continue;
    const over = seen.runs.get(commit.run ?? 0)?.aborted_at;
    if (over === undefined) continue;
    const own = probes.get(commit.run)?.filter(({ host }) => host === targetOf(check)) ?? [];
    if (own.length > 0 && own.every(({ ended_at = Number.POSITIVE_INFINITY }) => ended_at > over))
      wrong.push(
        `${check.id}: run ${commit.run} was over at ${over}, and at ${commit.at} it recorded its probe of ${begun}`,
      );
  }
  return wrong;
}
