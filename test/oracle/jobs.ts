import type { CheckItem } from '#lib/checks/check-item.ts';
import type { ResultItem } from '#lib/health/history/result-item.ts';
import { changesIn, type Inside, type JobRun, settingsIn } from './inside.ts';
import { isUnjudged, NEAR_PROBE_MS, skewOf, slotsOf, targetOf } from './rules.ts';

/**
 * A job that was taken and is not given again has left its result, obtained with the settings that stood all the while;
 * or it was sent again, noted as a gap, or its successor was due.
 */
export function checkJobs(inside: Inside): string[] {
  const { seen } = inside;
  const settings = settingsIn(seen);
  const stored = changesIn(seen).filter(({ key, after }) => key.sk.startsWith('R#') && after);
  const results = Map.groupBy(stored, ({ key }) => `${key.pk} ${key.sk.slice(2, 15)}`);
  return seen.jobRuns.flatMap((job) => {
    const { check_id, slot, began_at, done_at } = job;
    const stood = settings.get(check_id)?.findLast(({ from }) => from <= began_at);
    const check = stood?.check;
    if (!stood || !check?.enabled || done_at === undefined) return [];
    const changed = stood.to <= done_at;
    const isSlot = slotsOf(check_id, check.interval_seconds, slot - 1, slot).length === 1;
    if (changed || !isSlot || isExcused(inside, job, check)) return [];
    const at = String(Math.max(slot, check.settings_at)).padStart(13, '0');
    const own = results
      .get(`${check.pk} ${at}`)
      ?.map(({ after }) => after as ResultItem)
      .some(({ history, checked_at }) => !history && Date.parse(checked_at) >= stood.from - skewOf(inside));
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
