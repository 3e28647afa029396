import type { Inside } from './inside.ts';
import { probeResults } from './outcomes.ts';
import { isUnjudged, skewOf, targetOf } from './rules.ts';

/** No failure is recorded of a target whose probe found no answer in time while the process itself stood still. */
export function checkStandstills(inside: Inside): string[] {
  const { seen } = inside;
  const wrong: string[] = [];
  const probes = Map.groupBy(seen.probes, ({ host }) => host);
  for (const { commit, check, begun: noted, success, error_kind } of probeResults(seen)) {
    if (success || error_kind !== 'timeout') continue;
    const begun = noted - skewOf(inside);
    const own = (probes.get(targetOf(check)) ?? []).filter(
      (probe) => probe.run === commit.run && probe.at >= begun && (probe.ended_at ?? commit.at) <= commit.at,
    );
    if (own.length > 0 && own.every((probe) => isUnjudged(seen, probe)))
      wrong.push(`${check.id}: the probe of ${noted} failed as we stood still, and is held against its target`);
  }
  return wrong;
}
