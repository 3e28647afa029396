import type { Inside } from './inside.ts';
import { probeResults } from './outcomes.ts';
import { isDiscarded, skewOf, targetOf } from './rules.ts';

/** Promise: no failure is recorded for a target whose probe timed out while the process was stalled. */
export function checkEventLoopStalls(inside: Inside): string[] {
  const { seen } = inside;
  const wrong: string[] = [];
  const probes = Map.groupBy(seen.probes, ({ host }) => host);
  for (const { commit, check, begun: recorded, success, error_kind } of probeResults(seen)) {
    if (success || error_kind !== 'timeout') continue;
    const begun = recorded - skewOf(inside);
    const own = (probes.get(targetOf(check)) ?? []).filter(
      (probe) => probe.run === commit.run && probe.at >= begun && (probe.ended_at ?? commit.at) <= commit.at,
    );
    if (own.length > 0 && own.every((probe) => isDiscarded(seen, probe)))
      wrong.push(
        `${check.id}: the probe of ${recorded} timed out during a stall, but is recorded as a failure of its target`,
      );
  }
  return wrong;
}
