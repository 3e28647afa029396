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
      const isLeft = runs
        .get(`${id} ${Math.max(slot, check.settings_at)}`)
        ?.some(({ record_only, begun, single }) => !record_only && (!single || begun >= version.from - skew));
      if (isLeft || gaps.has(`${id} ${slot}`)) return [];
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
 * Whether a job includes a check with these settings: the probe of a settings change covers slots before the change.
 */
function isDue(job: JobProcessed, check: CheckItem): boolean {
  const { id, enabled, execution_mode, interval_seconds, settings_at } = check;
  const isSlot = slotsOf(id, interval_seconds, job.slot - 1, job.slot).length === 1;
  const isAfter = job.only !== undefined || job.slot >= settings_at;
  return enabled && execution_mode === 'pull' && isJobOf(job, check) && isSlot && isAfter;
}

/** A cell is skipped if its checks would not start before its next slot: maximum duration of a turn (ms). */
const MAX_TURN_MS = 500;

/** @param isPacked whether a pack has a result of the slot: a target that does not respond later gets no gap */
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
