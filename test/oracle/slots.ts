import type { History, PullCheck } from './history.ts';
import { type Inside, isJobOf, type JobSeen } from './inside.ts';
import { AT_ONCE_MS, checkProbes } from './probes.ts';
import { isDiscarded, isOfNeighbor, NEAR_PROBE_MS, skewOf, slotsOf, targetOf } from './rules.ts';

/**
 * Jobs due within this time share a message (ms). A slot due this soon after the start of a downtime can therefore have
 * begun before the downtime.
 */
const GROUP_MS = 50;

/** Maximum expected duration of a job: a job this close to the next slot can be skipped (ms). */
const TURN_MS = 500;

/** Outcome of a slot: its number of results, and the cause of its gap. */
export type Slot = { slot: number; times: number; gap: string | undefined };

/** Returns the slots of a check that are over. */
export const slotsIn = ({ over_before }: Pick<History, 'over_before'>, one: PullCheck): Slot[] =>
  slotsOf(one.id, one.interval_seconds, one.from, Math.min(one.to, over_before.slots)).map((slot) => ({
    slot,
    times: one.results.get(slot) ?? 0,
    gap: one.gaps.find(({ from, to }) => from <= slot && slot < to)?.cause,
  }));

/**
 * Promise: every due slot has one result, or is in a gap with a cause; no probe is early, no result is invented.
 */
export function checkSlots(history: History): string[] {
  const { inside, failed } = history;
  const wrong = [...checkOutages(history), ...(inside ? checkProbes(inside, history.pullChecks) : [])];
  for (const one of history.pullChecks) {
    for (const { slot, times, gap } of slotsIn(history, one)) {
      const say = (text: string) => wrong.push(`${one.id}: slot ${slot} of ${one.interval_seconds} s ${text}`);
      // Only the second tenant (neighbor.ts) uses up its CPU budget.
      const isExplained = gap !== undefined && gap !== 'cpu_budget' && (failed !== 'nothing' || gap === 'network');
      if (times > 1) say(`has ${times} results`);
      // The gaps of the simulation are the recorded ones. A recorded gap has no effect if its slot got a result.
      if (times > 0 && gap && !inside) say(`has a result but is a gap with the cause ${gap}`);
      if (times === 0 && !isExplained && !(inside && isExcused(inside, one, slot)))
        say('has no result and is not a gap');
      if (times === 0 && isExplained && gap !== 'outage' && isAway(history, slot))
        say(`was due while the service was down, but has the cause ${gap}`);
    }
  }
  return wrong;
}

const isAway = ({ failed, away }: History, slot: number): boolean =>
  failed === 'process' && away.some(({ from, to }) => slot > from + GROUP_MS && slot < to);

/** Each downtime is reported as an outage. */
function checkOutages({ away, outages }: History): string[] {
  if (!outages) return [];
  return away
    .filter(({ from, to }) => !outages.some((one) => one.from <= from && one.to >= to))
    .map(({ from, to }) => `the downtime from ${from} to ${to} is not an outage`);
}

/** Whether a missing result has a reason that only the simulation knows. */
function isExcused({ seen, profile }: Inside, { interval_seconds, stored }: PullCheck, slot: number): boolean {
  const { check, changed_at } = stored!;
  const interval = interval_seconds * 1000;
  const skew = skewOf({ profile });
  const host = targetOf(check);
  // The tenant share of the second tenant can be too small for all of its probes.
  if (isOfNeighbor(host)) return true;
  const isOf = (job: JobSeen): boolean => job.slot === slot && isJobOf(job, check);
  if (seen.stops.some((stop) => slot >= stop.from - interval && slot <= stop.over + AT_ONCE_MS)) return true;
  const wasStalled = seen.probes.some(
    (probe) =>
      probe.host === host &&
      probe.at >= slot - skew &&
      probe.at < slot + interval &&
      isDiscarded(seen, probe, NEAR_PROBE_MS),
  );
  if (wasStalled) return true;
  if (profile.quiet) return false;
  // Work is no longer due if a fault delayed it until the next slot was due or the settings had changed.
  const late_from = Math.min(slot + interval - TURN_MS - skew, changed_at);
  const isLate = seen.jobsProcessed.some((job) => isOf(job) && job.done_at !== undefined && job.done_at >= late_from);
  return isLate || seen.jobsDead.some(isOf);
}
