import type { CheckItem } from '#lib/checks/check-item.ts';
import { cellOf } from '#lib/keys.ts';
import { type Inside, isJobOf, type JobProcessed, settingsIn } from './inside.ts';
import { notedGaps, probeResults } from './outcomes.ts';
import { isDiscarded, NEAR_PROBE_MS, skewOf, slotsOf, targetOf } from './rules.ts';

/**
 * Promise: a job that was processed and is not retried has produced an outcome of each of its checks with the settings
 * of that time; or the check was sent again, recorded as a gap, or its next slot was due.
 */
export function checkJobs(inside: Inside): string[] {
  const { seen } = inside;
  const skew = skewOf(inside);
  const settings = settingsIn(seen);
  const cells = Map.groupBy(settings.keys(), cellOf);
  const runs = Map.groupBy(probeResults(seen), ({ check, at }) => `${check.id} ${at}`);
  const gaps = new Set([...notedGaps(seen)].map(({ check, at }) => `${check.id} ${at}`));
  const sent = Map.groupBy(seen.jobsSent, ({ cell, slot }) => `${cell} ${slot}`);

  return seen.jobsProcessed.flatMap((job) => {
    const { cell, slot, began_at, done_at } = job;
    if (done_at === undefined) return [];
    return (job.only ?? cells.get(cell) ?? []).flatMap((id) => {
      const version = settings.get(id)?.findLast(({ from }) => from <= began_at);
      const check = version?.check;
      if (!version || !check || version.to <= done_at || !isDue(job, check)) return [];
      // If a slot was packed with the settings before a change, the packs keep that outcome.
      const hasOutcome = runs
        .get(`${id} ${Math.max(slot, check.settings_at)}`)
        ?.some(({ record_only, begun, single }) => !record_only && (!single || begun >= version.from - skew));
      if (hasOutcome || gaps.has(`${id} ${slot}`)) return [];
      const isSentAgain = sent
        .get(`${cell} ${slot}`)
        ?.some((one) => isJobOf(one, check) && one.at >= began_at && one.at <= done_at);
      const isPacked = runs.get(`${id} ${slot}`)?.some(({ single }) => !single) ?? false;
      return isSentAgain || isExcused(inside, job, check, isPacked)
        ? []
        : [`${id}: the job of slot ${slot} ended at ${done_at} without an outcome`];
    });
  });
}

/**
 * Whether a job includes a check with these settings. A slot before the settings changed is covered by the probe that
 * the change causes, unless the job names the check.
 */
function isDue(job: JobProcessed, check: CheckItem): boolean {
  const { id, enabled, execution_mode, interval_seconds, settings_at } = check;
  const isSlot = slotsOf(id, interval_seconds, job.slot - 1, job.slot).length === 1;
  const isAfter = job.only !== undefined || job.slot >= settings_at;
  return enabled && execution_mode === 'pull' && isJobOf(job, check) && isSlot && isAfter;
}

/** Maximum duration of a cell's turn (ms). The cell is skipped if its checks would not start before its next slot. */
const MAX_TURN_MS = 500;

/**
 * Whether a job may end without an outcome of a check.
 * @param isPacked whether a pack has a result of the slot: if the target does not respond later, no gap is recorded
 */
function isExcused(
  inside: Inside,
  { slot, began_at, done_at }: JobProcessed,
  check: CheckItem,
  isPacked: boolean,
): boolean {
  const { seen } = inside;
  const next = slot + check.interval_seconds * 1000;
  const host = targetOf(check);
  return (
    done_at! >= next - MAX_TURN_MS - skewOf(inside) ||
    seen.stops.some(({ from, over }) => from <= done_at! && over >= began_at) ||
    seen.probes.some(
      (probe) =>
        probe.host === host &&
        probe.at >= began_at &&
        probe.at <= done_at! &&
        ((isPacked && probe.isUnanswered) || isDiscarded(seen, probe, NEAR_PROBE_MS)),
    )
  );
}
