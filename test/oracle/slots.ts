import type { History, PulledCheck } from './history.ts';
import { type Inside, isJobOf, type JobSeen } from './inside.ts';
import { AT_ONCE_MS, checkProbes } from './probes.ts';
import { isNeighbours, isUnjudged, NEAR_PROBE_MS, skewOf, slotsOf, targetOf } from './rules.ts';

/** Jobs due within so many ms travel together: a slot so near to a time away may be cut off. */
const GROUP_MS = 50;

/** What became of a slot: how many results it has, and the cause of the gap that it lies in. */
export type Slot = { slot: number; times: number; gap: string | undefined };

/** The slots of a check that are over by now. */
export const slotsIn = ({ over_before }: Pick<History, 'over_before'>, one: PulledCheck): Slot[] =>
  slotsOf(one.id, one.interval_seconds, one.from, Math.min(one.to, over_before.slots)).map((slot) => ({
    slot,
    times: one.results.get(slot) ?? 0,
    gap: one.gaps.find(({ from, to }) => from <= slot && slot < to)?.cause,
  }));

/**
 * Every slot that was due has one result, or lies in a gap that says why; no probe came early, none was made up.
 */
export function checkSlots(history: History): string[] {
  const { inside, failed } = history;
  const wrong = [...checkOutages(history), ...(inside ? checkProbes(inside, history.pulled) : [])];
  for (const one of history.pulled) {
    for (const { slot, times, gap } of slotsIn(history, one)) {
      const say = (text: string) => wrong.push(`${one.id}: slot ${slot} of ${one.interval_seconds} s ${text}`);
      const isTold = gap !== undefined && (failed !== 'nothing' || gap === 'network');
      if (times > 1) say(`has ${times} results`);
      // What the simulation knows are notes: where a slot got a result after all, they mean nothing.
      if (times > 0 && gap && !inside) say(`has a result and counts as ${gap}`);
      if (times === 0 && !isTold && !(inside && isExcused(inside, one, slot))) say('has no result and is no gap');
      if (times === 0 && isTold && gap !== 'outage' && isAway(history, slot))
        say(`fell due while nothing ran, and counts as ${gap}`);
    }
  }
  return wrong;
}

const isAway = ({ failed, away }: History, slot: number): boolean =>
  failed === 'process' && away.some(({ from, to }) => slot > from + GROUP_MS && slot < to);

/** Each time away is told as an outage. */
function checkOutages({ away, outages }: History): string[] {
  if (!outages) return [];
  return away
    .filter(({ from, to }) => !outages.some((one) => one.from <= from && one.to >= to))
    .map(({ from, to }) => `the time away from ${from} to ${to} is no outage`);
}

/** What the simulation alone knows of why a slot has no result. */
function isExcused({ seen, profile }: Inside, { interval_seconds, stored }: PulledCheck, slot: number): boolean {
  const { check, changed_at } = stored!;
  const interval = interval_seconds * 1000;
  const skew = skewOf({ profile });
  const host = targetOf(check);
  // Its own share may be too small for all of them.
  if (isNeighbours(host)) return true;
  const isOf = (job: JobSeen): boolean => job.slot === slot && isJobOf(job, check);
  if (seen.stops.some((stop) => slot >= stop.from - interval && slot <= stop.over + AT_ONCE_MS)) return true;
  const stoodStill = seen.probes.some(
    (probe) =>
      probe.host === host &&
      probe.at >= slot - skew &&
      probe.at < slot + interval &&
      isUnjudged(seen, probe, NEAR_PROBE_MS),
  );
  if (stoodStill) return true;
  if (profile.quiet) return false;
  // What a fault held up until its successor was due, or until the settings had changed, is due no more.
  const isLate = seen.jobRuns.some(
    (job) => isOf(job) && job.done_at !== undefined && job.done_at >= Math.min(slot + interval - skew, changed_at),
  );
  return isLate || seen.jobsDead.some(isOf);
}
