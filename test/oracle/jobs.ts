import type { CheckItem } from '#lib/checks/check-item.ts';
import type { ResultItem } from '#lib/health/result-item.ts';
import { changesIn, type Inside, type JobRun } from './inside.ts';
import { isUnjudged, NEAR_PROBE_MS, skewOf, slotsOf, targetOf } from './rules.ts';

/** The settings of a check from a commit on; undefined: it is gone. */
type Version = { n: number; at: number; check: CheckItem | undefined };

/**
 * A job that was taken and is not given again has left its result, obtained with the settings that stood all the while;
 * or it was sent again, noted as a gap, or its successor was due.
 */
export function checkJobs(inside: Inside): string[] {
  const { seen } = inside;
  const versions = new Map<string, Version[]>();
  const results = new Map<string, ResultItem[]>();
  for (const { key, before, after, commit } of changesIn(seen)) {
    const { n, at } = commit;
    const check = after as CheckItem | undefined;
    if (key.sk === 'CHECK' && (before as CheckItem | undefined)?.rev !== check?.rev) {
      const { id } = (check ?? before) as CheckItem;
      versions.set(id, [...(versions.get(id) ?? []), { n, at, check }]);
    } else if (key.sk.startsWith('R#') && after) {
      const slot = `${key.pk} ${key.sk.slice(2, 15)}`;
      results.set(slot, [...(results.get(slot) ?? []), after as ResultItem]);
    }
  }

  return seen.jobRuns.flatMap((job) => {
    const { check_id, slot, began_at, done_at } = job;
    const stood = versions.get(check_id)?.findLast(({ at }) => at <= began_at);
    const check = stood?.check;
    if (!stood || !check?.enabled || done_at === undefined) return [];
    const changed = versions.get(check_id)!.some(({ n, at }) => n > stood.n && at <= done_at);
    const isSlot = slotsOf(check_id, check.interval_seconds, slot - 1, slot).length === 1;
    if (changed || !isSlot || isExcused(inside, job, check)) return [];
    const at = String(Math.max(slot, check.settings_at)).padStart(13, '0');
    const own = results
      .get(`${check.pk} ${at}`)
      ?.some((result) => !result.history && Date.parse(result.checked_at) >= stood.at - skewOf(inside));
    return own ? [] : [`${check_id}: the job of slot ${slot} was done at ${done_at} and left no result`];
  });
}

function isExcused(inside: Inside, { check_id, slot, began_at, done_at }: JobRun, check: CheckItem): boolean {
  const { seen } = inside;
  const next = slot + check.interval_seconds * 1000;
  return (
    done_at! >= next - skewOf(inside) ||
    seen.table.has(`${check.pk}|G#${String(slot).padStart(13, '0')}`) ||
    seen.stops.some(({ from, over }) => from <= done_at! && over >= began_at) ||
    seen.probes.some(
      (probe) =>
        probe.host === targetOf(check) &&
        probe.at >= began_at &&
        probe.at <= done_at! &&
        isUnjudged(seen, probe, NEAR_PROBE_MS),
    ) ||
    seen.jobsSent.some(
      (one) => one.check_id === check_id && one.slot === slot && one.at >= began_at && one.at <= done_at!,
    )
  );
}
