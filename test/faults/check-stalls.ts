import type { CheckItem } from '#lib/checks/check-item.ts';
import type { ResultItem } from '#lib/health/history/result-item.ts';
import { skewOf } from './check-slots.ts';
import { isUnjudged, targetOf } from './rules.ts';
import type { Run } from './simulate.ts';

/** No failure is recorded of a target whose probe found no answer in time while the process itself stood still. */
export function checkStalls(run: Run): string[] {
  const { seen } = run;
  const wrong: string[] = [];
  const checks = new Map<string, CheckItem>();
  const probes = Map.groupBy(seen.probes, ({ host }) => host);
  for (const { at: now, run: by, changes } of seen.commits) {
    for (const { key, after } of changes) {
      if (key.sk === 'CHECK' && after) checks.set(key.pk, after as CheckItem);
      const check = checks.get(key.pk);
      if (!key.sk.startsWith('R#') || !after || check?.execution_mode !== 'pull') continue;
      const { success, error_kind, checked_at } = after as ResultItem;
      if (success || error_kind !== 'timeout') continue;
      const begun = Date.parse(checked_at) - skewOf(run);
      const own = (probes.get(targetOf(check)) ?? []).filter(
        (probe) => probe.run === by && probe.at >= begun && (probe.ended_at ?? now) <= now,
      );
      if (own.length > 0 && own.every((probe) => isUnjudged(seen, probe)))
        wrong.push(`${check.id}: the probe of ${checked_at} failed as we stood still, and is held against its target`);
    }
  }
  return wrong;
}
